// The page of `otseq2set explain`: everything stands in it already, this shows the words of one label at a time.
for (const article of document.querySelectorAll("article.document")) {
  const data = article.querySelector("script[type='application/json']");
  if (!data) continue;
  const labels = JSON.parse(data.textContent).map((words) =>
    words.map(([begin, end, weight]) => ({ begin, end, weight })),
  );
  const text = article.querySelector(".text");
  const content = text.textContent;
  const cut = text.dataset.cut === undefined ? undefined : Number(text.dataset.cut);
  const buttons = [...article.querySelectorAll("button.label")];
  const list = article.querySelector(".labels");
  if (!list) continue;
  followLabels(list, (button) => {
    showMarked(text, content, labels[buttons.indexOf(button)] ?? [], cut);
    bringIntoView(text.parentElement, [...text.querySelectorAll("mark")]);
  });
}
