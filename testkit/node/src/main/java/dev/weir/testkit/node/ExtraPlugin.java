package dev.weir.testkit.node;

/**
 * A plugin beyond the stock modules.
 *
 * @param name the name that the node reports
 * @param className its class
 */
record ExtraPlugin(String name, String className) {
  /** Parses {@code CLASS} or {@code NAME:CLASS}; without a name, a plugin has that of its class. */
  static ExtraPlugin parse(String text) {
    int colon = text.indexOf(':');
    return colon < 0
        ? new ExtraPlugin(text, text)
        : new ExtraPlugin(text.substring(0, colon), text.substring(colon + 1));
  }
}
