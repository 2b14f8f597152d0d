"""Names of the sample league. No team or player is real, and many names are awkward on purpose."""

import random


# The second club of Port Halden abbreviates its city, as the "LA" Clippers do.
TEAMS = (
    ("Port Halden", "Night Herons"),
    ("PH", "Lanterns"),
    ("St. Brann", "Pilots"),
    ("Corvale", "Ironwoods"),
    ("Lake Marrow", "Trail Foxes"),
    ("Ashgrove", "Comets"),
    ("New Tamsin", "Sextants"),
    ("Vesper Bay", "Gale"),
    ("Orrin Falls", "Millers"),
    ("Dunmere", "Stags"),
    ("Saint-Éloi", "Voyageurs"),
    ("Quillon", "88s"),
)

# In the league with any seed. FIRST_NAME and SECOND_NAME are split at the first space, as in RotoWire.
AWKWARD = tuple(
    name.partition(" ")[::2]
    for name in (
        "Larkin Nance-Oyelaran, Deshawn Marlow-Reyes, Jean-Rémi Aubert, Émile Côté-Varga, Tavares Holt Jr., Tavon "
        "Holt, Cyrus Vance Jr., Rufus Pell III, Otis Brandt Jr., Pieter van Dorn, Mateo de la Roca, Luka Žarković, "
        "Nikola Đurašin, Søren Kjærgård, J.T. Okafor-Lind, D.J. Quarles, Finn O'Dray, Kwame N'Dour-Bey, Iñaki "
        "Peñalba, Zico, Baptiste St. Amour, Al-Rashid Toomer, Ömer Yıldıran, Tobin Tobin, Marlow Keane, Keane "
        "Marlow, Xavi Torrens i Puig, Mbeki Ojo, Bo Li-Sandoval"
    ).split(", ")
)
FIRST = (
    "Abram Anders Ansel Aurel Barnaby Basil Bram Callum Caspian Cedrik Corbin Cosmo Dashiell Denzil Dorian Edric "
    "Elio Emeka Enzo Ewan Fabian Fergus Florian Gideon Giles Hakim Halvard Hamish Idris Ignatz Ivo Jarek Jerome "
    "Joaquin Jorah Kasper Kelvin Kofi Lachlan Lamar Leif Lorcan Lucan Magnus Malik Marek Mikkel Milo Nestor Niall "
    "Obi Odell Orson Osric Percy Quentin Radu Rafferty Ramon Remy Roscoe Rohan Rune Silas Stellan Sven Tamir "
    "Tarquin Thaddeus Tiago Ugo Ulric Vaughn Viggo Wendell Wilder Yannick Yusuf Zane Zoltan "
).split()
LAST = (
    "Abbot-Lane Adeyinka Almeida Arkwright Ballard Barrowman Beckwith Bellamy Birch Blackwood Bright Brockway "
    "Calloway Carrick Castellan Coverdale Cray Crowther Dacosta Dalgaard Danforth Dubrov Eastman Ekwueme Ellery "
    "Farrow Fenn Fielding Fontaine Galloway Garrick Gladwin Goss Halloran Hargrove Hatch Hollis-Grey Hurley "
    "Ibarra Ingram-Shaw Jarvi Jessup Kallas Kendrick Kincaid Kovar Lambourne Larch Lindqvist Lockhart Lorne "
    "Mackey Madaki Mallory Mercer Merrick Mott Nakamba Nightingale Norwood Obuya Okonjo Ormond Osterman Paxton "
    "Penrose Pike Quigley Radcliffe Ravn Redfern Rook Rourke Sable Santangelo Sefton Severin Shaw Stannard Sterne "
    "Tallis Thorne Tolliver Trask Umeh Underhill Vale Varga Voss Wainwright Weir Whitlock Wolfe Wray Yarrow York "
    "Zeller-Roy Zorin "
).split()


def players(count: int, generator: random.Random) -> list[tuple[str, str]]:
    """`count` distinct (first, second) names in random order, including all of AWKWARD; last names recur."""
    names = list(AWKWARD)
    while len(names) < count:
        name = (generator.choice(FIRST), generator.choice(LAST))
        if name not in names:
            names.append(name)
    generator.shuffle(names)
    return names
