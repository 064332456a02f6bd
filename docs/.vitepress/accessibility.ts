// Corrects the roles and labels of the default theme, which fail the checks of axe. Fails the build if VitePress changes.
import type { Plugin } from 'vitepress';

type Change = readonly [before: string, after: string];

/** The changes of the templates, by component. */
const changes: Readonly<Record<string, readonly Change[]>> = {
  VPContent: [
    [
      `id="VPContent"`,
      `id="VPContent" :role="page.isNotFound || frontmatter.layout === 'home' ? 'main' : undefined"`,
    ],
  ],
  // Its text is its name, or on a phone, without a text, its title.
  VPNavBarSearchButton: [
    [':aria-label=', ':title='],
    ['<span class="DocSearch-Button-Keys">', '<span class="DocSearch-Button-Keys" aria-hidden="true">'],
  ],
  // A group without a link is a button, so its arrow is not another one.
  VPSidebarItem: [
    [':role="itemRole"', ':role="itemRole" :aria-expanded="itemRole && item.items ? !collapsed : undefined"'],
    ['role="button"\n        aria-label="toggle section"', `v-bind="caret"`],
    ['        tabindex="0"\n', ''],
    [
      '</script>',
      `const caret = computed(() => props.item.link ? { role: 'button', 'aria-label': 'toggle section', tabindex: 0 } : {})\n</script>`,
    ],
  ],
  // A dialog with a combobox, whose options are the links.
  VPLocalSearchBox: [
    ['role="button"', 'role="dialog"'],
    [`:aria-owns="results?.length ? 'localsearch-list' : undefined"`, ''],
    ['aria-expanded="true"', 'aria-modal="true"'],
    ['aria-haspopup="listbox"', ''],
    [
      'aria-labelledby="localsearch-label"\n      class="VPLocalSearchBox"',
      ':aria-label="buttonText"\n      class="VPLocalSearchBox"',
    ],
    [
      'aria-autocomplete="both"',
      'role="combobox" aria-autocomplete="list" :aria-expanded="results?.length > 0"',
    ],
    [
      'aria-labelledby="localsearch-label"\n            autocap',
      ':aria-label="buttonText"\n            autocap',
    ],
    [`:aria-labelledby="results?.length ? 'localsearch-label' : undefined"`, ':aria-label="buttonText"'],
    ...['navigateUp', 'navigateDown', 'select'].map((key): Change => {
      const label = `:aria-label="translate('modal.footer.${key}KeyAriaLabel')"`;
      return [label, `role="img" ${label}`];
    }),
    [`:id="'localsearch-item-' + index"`, 'role="none"'],
    [`:aria-selected="selectedIndex === index ? 'true' : 'false'"\n            role="option"`, ''],
    [
      `:aria-label="[...p.titles, p.title].join(' > ')"`,
      `role="option" :id="'localsearch-item-' + index" :aria-selected="selectedIndex === index ? 'true' : 'false'"`,
    ],
  ],
};

function replaceOnce(code: string, [before, after]: Change, component: string): string {
  if (code.split(before).length !== 2) throw new Error(`${component}.vue has ${before} not once.`);
  return code.replace(before, () => after);
}

/** The plugin of Vite that changes the templates. */
export const accessibility: Plugin = {
  name: 'accessibility',
  enforce: 'pre',
  transform(code, id) {
    const component = /\/(\w+)\.vue$/.exec(id)?.[1] ?? '';
    return changes[component]?.reduce((text, change) => replaceOnce(text, change, component), code);
  },
};
