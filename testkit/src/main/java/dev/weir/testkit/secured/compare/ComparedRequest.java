package dev.weir.testkit.secured.compare;

/**
 * A request that both endpoints get.
 *
 * @param path with parameters; like the body it may contain the placeholders of {@link
 *     ComparedEndpointClient}
 * @param body JSON, or lines of JSON; empty for none
 * @param repeatable whether sending it again gives the same response
 */
record ComparedRequest(
    ComparedIdentity identity, String method, String path, String body, boolean repeatable) {
  static ComparedRequest read(ComparedIdentity identity, String method, String path, String body) {
    return new ComparedRequest(identity, method, path, body, true);
  }

  static ComparedRequest once(ComparedIdentity identity, String method, String path, String body) {
    return new ComparedRequest(identity, method, path, body, false);
  }

  /** Returns the last segment of the path, such as {@code _search}; {@code _doc} for a document. */
  String endpoint() {
    String name = path.substring(0, (path + "?").indexOf('?'));
    String last = name.substring(name.lastIndexOf('/') + 1);
    return last.startsWith("_") ? last : "_doc";
  }

  @Override
  public String toString() {
    String text = body.length() > 600 ? body.substring(0, 600) + "..." : body;
    return identity + " " + method + " " + path + " " + text.replace("\n", "\\n");
  }
}
