package dev.weir.bench.codec;

import java.util.SplittableRandom;

/** What the documents of a measurement are like; a document depends on its number alone. */
enum DocumentKind {
  /** Lines of services and proxies, with ids, addresses and times that do not repeat. */
  LOGS(
      """
      {"@timestamp":{"type":"date"},"level":{"type":"keyword"},"service":{"type":"keyword"},\
      "host":{"type":"keyword"},"trace":{"type":"keyword"},"client":{"type":"ip"},\
      "method":{"type":"keyword"},"path":{"type":"keyword"},"status":{"type":"short"},\
      "bytes":{"type":"integer"},"duration_ms":{"type":"float"},"agent":{"type":"keyword"},\
      "message":{"type":"text"}}\
      """),

  /** Products of a shop: names, prices, attributes, and texts of some forty words. */
  PRODUCTS(
      """
      {"sku":{"type":"keyword"},"ean":{"type":"keyword"},"name":{"type":"text"},\
      "brand":{"type":"keyword"},"categories":{"type":"keyword"},"price":{"type":"scaled_float",\
      "scaling_factor":100},"stock":{"type":"integer"},"rating":{"type":"float"},\
      "reviews":{"type":"integer"},"updated":{"type":"date"},"description":{"type":"text"},\
      "images":{"type":"keyword"},"attributes":{"type":"object","enabled":false}}\
      """);

  private static final long SEED = 0x5eed_c0deL;

  private final String properties;

  DocumentKind(String properties) {
    this.properties = properties;
  }

  /** Returns the properties of the mapping, JSON. */
  String properties() {
    return properties;
  }

  /** Returns a document, JSON on one line. */
  String document(int number) {
    SplittableRandom random = new SplittableRandom(SEED * 31 + number);
    return switch (this) {
      case LOGS -> LogDocuments.document(random, number);
      case PRODUCTS -> ProductDocuments.document(random, number);
    };
  }
}
