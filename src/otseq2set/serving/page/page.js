"use strict";

document.getElementById("form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const text = document.getElementById("text").value;
  const answer = await fetch("/v1/predict", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ text }),
  });
  const content = await answer.json();
  const lines = answer.ok
    ? content.documents[0].labels.map((label) => `${label.name} ${label.score.toFixed(2)}`)
    : [content.detail];
  document.getElementById("labels").replaceChildren(
    ...lines.map((line) => Object.assign(document.createElement("li"), { textContent: line })),
  );
});
