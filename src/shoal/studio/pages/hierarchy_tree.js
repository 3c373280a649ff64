// A tree on the screen: what the server says is seen, and the keys that people know from other trees.
// Labels are put there as text. What is open and what is chosen is kept by the server; here is only where one stands.
export default {
  template: `
    <div role="tree" class="tree" aria-multiselectable="true" aria-label="Tree of values and groups" @keydown="pressed">
      <div class="tree-row tree-heads" aria-hidden="true" style="padding-left: 12px">
        <span class="tree-label">values and groups</span><span class="tree-rows">rows</span><span class="tree-share">share</span>
      </div>
      <template v-for="row in rows" :key="row.id">
        <div v-if="row.more" class="tree-row tree-more" :style="indent(row)">
          … and {{ row.more }} more: find them with the box above
        </div>
        <div
          v-else
          class="tree-row"
          role="treeitem"
          :class="{ 'tree-chosen': isChosen(row) }"
          :style="indent(row)"
          :data-node="row.id"
          :tabindex="row.id === standing ? 0 : -1"
          :aria-level="row.level"
          :aria-expanded="row.group ? String(row.open) : undefined"
          :aria-selected="String(isChosen(row))"
          :aria-label="row.label + ', ' + row.rows + ' rows'"
          @focus="here = row.id"
          @click="clicked(row, $event)"
        >
          <span class="tree-fold" aria-hidden="true" @click.stop="row.group && $emit('fold', row.id)">{{
            row.group ? (row.open ? "▾" : "▸") : ""
          }}</span>
          <span v-if="row.id !== 0" class="tree-box" aria-hidden="true">{{ isChosen(row) ? "☑" : "☐" }}</span>
          <span class="tree-label" :class="{ 'tree-group': row.group }">{{ row.label }}</span>
          <span class="tree-bar" aria-hidden="true"><span :style="{ width: 100 * row.share + '%' }"></span></span>
          <span class="tree-rows">{{ row.rows }}</span>
          <span class="tree-share">{{ share(row) }}</span>
        </div>
      </template>
    </div>
  `,
  props: { rows: Array, chosen: Array },
  emits: ["fold", "toggle", "reach", "clear", "ask"],
  data: () => ({ here: 0, anchor: 0 }),
  computed: {
    nodes() {
      return this.rows.filter((row) => !row.more);
    },
    standing() {
      return this.nodes.some((row) => row.id === this.here) ? this.here : 0;
    },
    picked() {
      return new Set(this.chosen);
    },
  },
  methods: {
    indent: (row) => ({ paddingLeft: `${6 + 18 * (row.level - 1)}px` }),
    share: (row) => (row.share > 0 && row.share < 0.0005 ? "<0.1 %" : `${(100 * row.share).toFixed(1)} %`),
    isChosen(row) {
      return this.picked.has(row.id);
    },
    toggle(row) {
      this.anchor = row.id;
      this.$emit(row.id === 0 ? "fold" : "toggle", row.id);
    },
    reach(row) {
      const places = [this.anchor, row.id].map((id) => this.nodes.findIndex((one) => one.id === id));
      const [first, last] = [Math.max(Math.min(...places), 0), Math.max(...places)];
      const between = this.nodes.slice(first, last + 1).map((one) => one.id);
      this.$emit("reach", between.filter((id) => id !== 0));
    },
    clicked(row, event) {
      this.here = row.id;
      event.shiftKey ? this.reach(row) : this.toggle(row);
    },
    go(row) {
      if (!row) return;
      this.here = row.id;
      this.$nextTick(() => this.$el.querySelector(`[data-node="${row.id}"]`)?.focus());
    },
    above(place) {
      return this.nodes.slice(0, place).findLast((row) => row.level < this.nodes[place].level);
    },
    pressed(event) {
      const place = this.nodes.findIndex((row) => row.id === this.standing);
      const row = this.nodes[place];
      if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step) {
        const next = this.nodes[place + step];
        if (event.shiftKey && next) this.reach(next);
        else if (next) this.anchor = next.id;
        this.go(next);
      } else if (event.key === "ArrowRight") row.group && !row.open ? this.$emit("fold", row.id) : this.go(this.nodes[place + 1]);
      else if (event.key === "ArrowLeft") row.open ? this.$emit("fold", row.id) : this.go(this.above(place));
      else if (event.key === "Home") this.go(this.nodes[0]);
      else if (event.key === "End") this.go(this.nodes.at(-1));
      else if (event.key === " " || event.key === "Enter") this.toggle(row);
      else if (event.key === "Escape") this.$emit("clear");
      else if (event.key === "F2") this.$emit("ask", row.id);
      else return;
      event.preventDefault();
    },
  },
};
