/** The part of the editor library's interface that we use; the library itself carries no types here. */

/**
 * @typedef {{anchor: number, head?: number}} SelectionSpec
 * @typedef {{main: {from: number, to: number, anchor: number, head: number, empty: boolean}}} Selection
 * @typedef {{from: number, to: number, text: string, number: number}} Line
 * @typedef {{length: number, lines: number, line(number: number): Line, lineAt(position: number): Line, toString(): string}} Doc
 * @typedef {{readonly __extension: true}} Extension
 * @typedef {{doc: Doc, selection: Selection, readOnly: boolean, replaceSelection(text: string): TransactionSpec}} EditorState
 * @typedef {{changes?: {from: number, to?: number, insert?: string}, selection?: SelectionSpec, effects?: Effect | Effect[], annotations?: unknown[], userEvent?: string, scrollIntoView?: boolean}} TransactionSpec
 * @typedef {{docChanged: boolean, state: EditorState, changes: unknown, effects: Effect[], isUserEvent(name: string): boolean}} Transaction
 * @typedef {{is(type: unknown): boolean, value: unknown}} Effect
 * @typedef {{docChanged: boolean, state: EditorState, transactions: Transaction[]}} ViewUpdate
 * @typedef {{state: EditorState, dom: HTMLElement, contentDOM: HTMLElement, scrollDOM: HTMLElement, hasFocus: boolean, focus(): void,
 *   dispatch(spec: TransactionSpec): void, setTabFocusMode(on: boolean): void, posAtDOM(node: Node, offset: number): number, destroy(): void}} EditorView
 * @typedef {(view: EditorView) => boolean} Command
 * @typedef {{key?: string, mac?: string, run?: Command, shift?: Command, preventDefault?: boolean}} KeyBinding
 * @typedef {{pos: number, explicit: boolean, state: EditorState, matchBefore(pattern: RegExp): {from: number, to: number, text: string} | null, aborted: boolean}} CompletionContext
 * @typedef {{label: string, type?: string}} Completion
 * @typedef {{from: number, options: Completion[], validFor?: RegExp}} CompletionResult
 * @typedef {{map(changes: unknown): DecorationSet}} DecorationSet
 * @typedef {Record<string, Record<string, string>>} StyleSpec
 * @typedef {{readonly __tag: true}} Tag
 *
 * @typedef {object} EditorLibrary
 * @property {(options: object) => Extension} autocompletion
 * @property {KeyBinding[]} completionKeymap
 * @property {KeyBinding[]} defaultKeymap
 * @property {KeyBinding[]} historyKeymap
 * @property {() => Extension} history
 * @property {Command} indentLess
 * @property {Command} indentMore
 * @property {{of(value: "full"): unknown}} isolateHistory
 * @property {unknown} pythonLanguage
 * @property {() => Extension} bracketMatching
 * @property {{define(specs: object[]): unknown}} HighlightStyle
 * @property {() => Extension} indentOnInput
 * @property {{of(unit: string): Extension}} indentUnit
 * @property {new (language: unknown) => Extension} LanguageSupport
 * @property {(style: unknown) => Extension} syntaxHighlighting
 * @property {(state: EditorState) => {resolveInner(position: number, side: number): {name: string}}} syntaxTree
 * @property {new () => {of(extension: Extension): Extension, reconfigure(extension: Extension): Effect}} Compartment
 * @property {{create(options: {doc: string, extensions: Extension[], selection?: SelectionSpec}): EditorState, readOnly: {of(value: boolean): Extension}}} EditorState
 * @property {{userEvent: {of(name: string): unknown}}} Transaction
 * @property {{highest(extension: Extension): Extension}} Prec
 * @property {{define(): {of(value: number | null): Effect}}} StateEffect
 * @property {{define(spec: {create(): DecorationSet, update(value: DecorationSet, transaction: Transaction): DecorationSet, provide(field: never): Extension}): Extension}} StateField
 * @property {{none: DecorationSet, set(ranges: unknown[]): DecorationSet, line(spec: object): {range(from: number): unknown}}} Decoration
 * @property {(new (options: {state: EditorState, parent: ParentNode, root: ShadowRoot}) => EditorView) & {
 *   theme(spec: StyleSpec): Extension, editable: {of(value: boolean): Extension}, decorations: {from(field: never): Extension},
 *   contentAttributes: {of(attributes: Record<string, string>): Extension},
 *   updateListener: {of(listener: (update: ViewUpdate) => void): Extension},
 *   domEventHandlers(handlers: Record<string, (event: never, view: EditorView) => boolean>): Extension,
 *   domEventObservers(observers: Record<string, (event: never, view: EditorView) => void>): Extension}} EditorView
 * @property {{of(bindings: KeyBinding[]): Extension}} keymap
 * @property {Record<string, Tag> & {function(tag: Tag | undefined): Tag, definition(tag: Tag | undefined): Tag, special(tag: Tag | undefined): Tag}} tags
 */

export {};
