/** Renders the Markdown of the language server: code blocks, lists, code, emphasis. Nothing in it is read as HTML. */

export function renderMarkup(markdown: string): HTMLElement {
  const box = document.createElement('div');
  box.className = 'cm-markup';
  let list: HTMLElement | null = null;
  const parts = markdown.split(/^```\w*\n([\s\S]*?)^```$/m);
  parts.forEach((part, at) => {
    // Every second part is the content of a code block.
    if (at % 2 === 1) {
      list = null;
      append(box, 'pre').textContent = part.trimEnd();
      return;
    }
    for (const line of part.split('\n')) {
      if (line.trim() === '') {
        list = null;
      } else if (/^[*-] /.test(line)) {
        list ??= append(box, 'ul');
        inline(append(list, 'li'), line.slice(2));
      } else {
        list = null;
        inline(append(box, 'p'), line);
      }
    }
  });
  return box;
}

function append(parent: HTMLElement, tag: string): HTMLElement {
  const element = document.createElement(tag);
  parent.append(element);
  return element;
}

function inline(parent: HTMLElement, text: string): void {
  text.split(/(`[^`]+`|\*[^*]+\*)/).forEach((part) => {
    if (/^`.+`$/.test(part)) append(parent, 'code').textContent = part.slice(1, -1);
    else if (/^\*.+\*$/.test(part)) append(parent, 'em').textContent = part.slice(1, -1);
    else parent.append(part);
  });
}
