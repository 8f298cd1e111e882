package dev.weir.model;

/**
 * Up to which size the gateway parses the body of a request itself. A request beyond a limit passes
 * through to a node.
 *
 * @param maxBytes estimated heap bytes of the parsed body
 * @param maxItems items of a multi-get or multi-search
 */
public record ParsedBodyLimits(long maxBytes, int maxItems) {
  /** No limits. */
  public static final ParsedBodyLimits NONE =
      new ParsedBodyLimits(Long.MAX_VALUE, Integer.MAX_VALUE);
}
