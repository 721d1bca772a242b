"use strict";

// Words of a text as [{begin, end, weight}], in code points as the program counts. JavaScript counts in UTF-16
// units, of which a code point beyond U+FFFF has two: gives a function from the one to the other.
function unitsOf(text) {
  if (!/[\ud800-\udbff][\udc00-\udfff]/.test(text)) return (point) => point;
  const units = [];
  for (let unit = 0; unit < text.length; unit += text.codePointAt(unit) > 0xffff ? 2 : 1) units.push(unit);
  units.push(text.length);
  return (point) => units[Math.min(point, units.length - 1)];
}

// The share of a look from which on a word has the full colour. Where the heaviest has less, the model looked at no
// word in particular, and no word shall stand out.
const kClearLook = 0.1;

// Fills the element with the text, its words marked by their weights, and what lies behind the code point `cut`, if
// there is one, as unread. Nothing of the text is ever read as HTML.
function showMarked(element, text, words, cut) {
  const unit = unitsOf(text);
  const heaviest = Math.max(...words.map((word) => word.weight), kClearLook);
  const parts = [];
  let done = 0;
  for (const word of [...words].sort((a, b) => a.begin - b.begin)) {
    const begin = Math.max(unit(word.begin), done);
    const end = unit(word.end);
    if (end <= begin) continue;
    parts.push(document.createTextNode(text.slice(done, begin)));
    const mark = document.createElement("mark");
    mark.textContent = text.slice(begin, end);
    mark.style.setProperty("--share", (word.weight / heaviest).toFixed(3));
    parts.push(mark);
    done = end;
  }
  const read = cut === undefined ? text.length : Math.max(unit(cut), done);
  parts.push(document.createTextNode(text.slice(done, read)));
  if (read < text.length) {
    const unread = document.createElement("span");
    unread.className = "unread";
    unread.textContent = text.slice(read);
    parts.push(unread);
  }
  element.replaceChildren(...parts);
}

// Scrolls the box to the first of the marks unless one is in view already.
function bringIntoView(box, marks) {
  const { top, bottom } = box.getBoundingClientRect();
  const places = marks.map((mark) => mark.getBoundingClientRect());
  if (!places.length || places.some((place) => place.top >= top && place.bottom <= bottom)) return;
  box.scrollTop += places[0].top - top - box.clientHeight / 3;
}

// Shows the words of the label under the pointer or in focus; of the one pressed when there is none. `show(button)`
// gets the button of that label, or null. Arrow keys go from label to label, Escape lets go.
function followLabels(list, show) {
  const buttonOf = (target) => (target instanceof Element ? target.closest("button.label") : null);
  let pressed = null;
  let pointed = null;
  let focused = null;
  const update = () => show(pointed ?? focused ?? pressed);
  const press = (button) => {
    pressed?.setAttribute("aria-pressed", "false");
    pressed = button;
    pressed?.setAttribute("aria-pressed", "true");
  };
  list.addEventListener("pointerover", (event) => {
    if (event.pointerType !== "mouse") return;
    pointed = buttonOf(event.target);
    update();
  });
  list.addEventListener("pointerleave", () => {
    pointed = null;
    update();
  });
  list.addEventListener("focusin", (event) => {
    const button = buttonOf(event.target);
    focused = button?.matches(":focus-visible") ? button : null;
    update();
  });
  list.addEventListener("focusout", () => {
    focused = null;
    update();
  });
  list.addEventListener("click", (event) => {
    const button = buttonOf(event.target);
    if (!button) return;
    press(button === pressed ? null : button);
    update();
  });
  list.addEventListener("keydown", (event) => {
    const buttons = [...list.querySelectorAll("button.label")];
    const at = buttons.indexOf(buttonOf(event.target));
    if (at < 0) return;
    if (event.key === "Escape") {
      press(null);
      focused = null;
      update();
      return;
    }
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: buttons.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    buttons[Math.max(0, Math.min(next, buttons.length - 1))].focus();
  });
  // To be called when the labels have been replaced.
  return () => {
    pressed = pointed = focused = null;
    update();
  };
}
