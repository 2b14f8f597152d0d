// The page of `stg app`: chooses a game, shows its box score, and has recaps of it written or checked.

const $ = id => document.getElementById(id);
const sent = new Map();    // games of files and pasted ones, by the values of their options
const versions = new Map();  // how many recaps have been asked for, by game and style: each gets a new seed
let working = null;        // stops the running request

// Says something in the status line: a note, an "error", or "aloud", for screen readers only.
function say(text, kind = "") {
  $("status").textContent = text;
  $("status").className = kind;
}

const game = () => sent.has($("game").value) ? {game: sent.get($("game").value)} : {known: $("game").value};

// Posts a request; calls `show` with each part of the answer, and throws the error that it ends with.
async function ask(path, request, show, signal) {
  let response;
  try {
    response = await fetch(path, {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(request), signal});
  } catch (error) {
    throw error.name === "AbortError" ? error : new Error("The server does not respond; is `stg app` still running?");
  }
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let rest = "", part; !(part = await reader.read()).done;) {
    const lines = (rest + part.value).split("\n");
    rest = lines.pop();
    for (const answer of lines.map(line => JSON.parse(line))) {
      if (answer.error) throw new Error(answer.error);
      show(answer);
    }
  }
}

// Runs one piece of work at a time; its mistakes are said where everybody looks, never lost.
async function work(task) {
  if (working) return;
  working = new AbortController();
  const controls = [...document.querySelectorAll("button:not(#stop):not(#paste), #game, #file")];
  controls.forEach(control => control.disabled = true);
  $("stop").hidden = false;
  say("");
  try { await task(working.signal); }
  catch (error) { error.name === "AbortError" ? say("Stopped.") : say(error.message, "error"); }
  finally {
    working = null;
    controls.forEach(control => control.disabled = false);
    $("stop").hidden = true;
  }
}

// The game

async function showBox() {
  $("box").setAttribute("aria-busy", "true");
  $("cards").replaceChildren();
  $("hint").hidden = true;
  $("intro").hidden = false;
  document.querySelector("main").classList.remove("comparing");
  await ask("/box", game(), answer => {
    $("box").innerHTML = answer.html;  // escaped by the server
    $("must_mention").placeholder = answer.example;
    for (const complaint of answer.complaints.reverse())
      $("box").prepend(Object.assign(document.createElement("p"), {className: "complaint", textContent: complaint}));
    linkFacts();
  });
  $("box").removeAttribute("aria-busy");
}

const base64 = blob => new Promise(resolve => {
  const reader = new FileReader();
  reader.onload = () => resolve(reader.result.slice(reader.result.indexOf(",") + 1));
  reader.readAsDataURL(blob);
});

// Reads files, or text as one: those of one source belong together.
const readGames = blobs => blobs.length && work(async () => {
  const files = await Promise.all(blobs.map(async blob => ({name: blob.name, content: await base64(blob)})));
  const name = files.map(file => file.name).join(", ");
  await ask("/read", {files}, ({games}) => {
    const group = Object.assign(document.createElement("optgroup"), {label: name});
    for (const {title, game} of games) {
      const value = `sent ${sent.size}`;
      sent.set(value, game);
      group.append(new Option(title, value));
    }
    $("game").prepend(group);
    $("game").value = group.firstChild.value;
    say(games.length > 1 ? `${games.length} games read from ${name}; choose one.` : "");
  });
  $("pasting").hidden = true;
  $("paste").setAttribute("aria-expanded", "false");
  await showBox();
});

$("game").onchange = () => work(showBox);
$("file").onchange = async () => { await readGames([...$("file").files]); $("file").value = ""; };
$("read").onclick = () => readGames([new File([$("pasted").value], "pasted")]);
$("paste").onclick = () => {
  $("pasting").hidden = !$("pasting").hidden;
  $("paste").setAttribute("aria-expanded", String(!$("pasting").hidden));
  if (!$("pasting").hidden) $("pasted").focus();
};
$("source").onsubmit = event => event.preventDefault();
document.ondragover = event => { event.preventDefault(); document.body.classList.add("dropping"); };
document.ondragleave = () => document.body.classList.remove("dropping");
document.ondrop = event => {
  event.preventDefault();
  document.body.classList.remove("dropping");
  readGames([...event.dataTransfer.files]);
};

// The recap

function newCard() {
  const card = $("card").content.firstElementChild.cloneNode(true);
  for (const button of card.querySelectorAll(".copy, .edit")) button.hidden = true;
  card.querySelector(".copy").onclick = () => copy(card);
  card.querySelector(".edit").onclick = () => {
    $("text").value = card.dataset.text;
    $("mode_check").click();
    $("text").focus();
  };
  return card;
}

// Shows an answer in a card as it comes. What the card held before stays, faded, until there is something new.
async function fill(card, path, request, signal, name) {
  const progress = card.querySelector(".progress"), body = card.querySelector(".body");
  let style = "", isDone = false;
  card.setAttribute("aria-busy", "true");
  body.classList.add("old");
  $("intro").hidden = true;
  progress.hidden = false;
  progress.textContent = "Reading the box score ...";
  bringIntoView(card);
  try {
    await ask(path, request, answer => {
      style = answer.style || style;
      if (answer.progress) progress.textContent = answer.progress;
      if (answer.html !== undefined) {
        body.classList.remove("old");
        body.innerHTML = answer.html;  // escaped by the server
        card.querySelector("h2").textContent = name(style);
        card.dataset.text = answer.done ? answer.text : "";
        isDone = Boolean(answer.done);
        linkFacts();
      }
    }, signal);
    if (!isDone) throw new Error("The answer ends early; is `stg app` still running?");
    $("hint").hidden = false;
    say(body.querySelector(".verdict").textContent, "aloud");
  } finally {
    progress.hidden = true;
    body.classList.remove("old");
    card.setAttribute("aria-busy", "false");
    if (!body.hasChildNodes()) card.remove();
    $("intro").hidden = $("cards").hasChildNodes();
    for (const button of card.querySelectorAll(".copy, .edit")) button.hidden = !card.dataset.text;
  }
}

function bringIntoView(element) {
  const {top} = element.getBoundingClientRect(), calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  if (top < 0 || top > innerHeight * .6) element.scrollIntoView({behavior: calm ? "auto" : "smooth"});
}

async function write(card, writer, signal) {
  const key = JSON.stringify([$("game").value, writer]), seed = versions.get(key) || 0;
  versions.set(key, seed + 1);
  const names = $("must_mention").value.split(",").map(name => name.trim()).filter(Boolean);
  const [check, grounded_only, avoid_repeats] = ["check", "grounded_only", "avoid_repeats"].map(id => $(id).checked);
  const request = {...game(), writer, seed, must_mention: names, check, grounded_only, avoid_repeats};
  await fill(card, "/write", request, signal, style => {
    const title = writer || style || "Recap";
    return seed ? `${title}, version ${seed + 1}` : title;
  });
}

$("writing").onsubmit = event => {
  event.preventDefault();
  work(async signal => {
    const writers = [$("writer").value, $("beside").value].filter((writer, index) => writer || !index);
    const cards = writers.map(newCard);
    document.querySelector("main").classList.toggle("comparing", cards.length > 1);
    $("cards").replaceChildren(...cards);
    for (const [index, card] of cards.entries()) {
      card.querySelector(".another").onclick = () => work(stop => write(card, writers[index], stop));
      card.querySelector("h2").textContent = writers[index] || "Recap";
    }
    for (const [index, card] of cards.entries()) await write(card, writers[index], signal);
  });
};

$("checking").onsubmit = event => {
  event.preventDefault();
  work(async signal => {
    const card = newCard();
    card.querySelector("h2").textContent = "Your recap, checked";
    card.querySelector(".another").remove();
    card.querySelector(".edit").remove();
    card.querySelector(".copy").textContent = "Copy corrected";
    document.querySelector("main").classList.remove("comparing");
    $("cards").replaceChildren(card);
    await fill(card, "/check", {...game(), text: $("text").value}, signal, () => "Your recap, checked");
  });
};

async function copy(card) {
  try {
    await navigator.clipboard.writeText(card.dataset.text);
    say("Copied.");
  } catch { say("The browser does not allow copying; select the text instead.", "error"); }
}

$("stop").onclick = () => working && working.abort();
for (const mode of document.getElementsByName("mode"))
  mode.onchange = () => { $("writing").hidden = !$("mode_write").checked; $("checking").hidden = $("mode_write").checked; };
$("mode_write").dispatchEvent(new Event("change"));  // browsers restore choices when a page is loaded again
for (const option of $("writer").options) $("beside").append(new Option(option.text, option.value));
$("beside").value = "";
work(showBox);
