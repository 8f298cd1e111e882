package dev.weir.it.columnar;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.weir.testkit.RestClient;
import java.util.Locale;
import java.util.Random;
import java.util.function.Supplier;

/** Indices of random documents with doc values of every common type. */
final class RandomColumnDocuments {
  private static final long SEED = 20261126;
  private static final int DOCUMENTS = 700;

  private static final String TYPES =
      """
      "number":{"type":"long"},"key":{"type":"keyword"},"keys":{"type":"keyword"},
      "byte":{"type":"byte"},"short":{"type":"short"},"int":{"type":"integer"},"long":{"type":"long"},
      "unsigned":{"type":"unsigned_long"},"half":{"type":"half_float"},"float":{"type":"float"},
      "double":{"type":"double"},"scaled":{"type":"scaled_float","scaling_factor":100},
      "flag":{"type":"boolean"},"day":{"type":"date"},"far":{"type":"date"},
      "time":{"type":"date","format":"epoch_second||yyyy-MM-dd"},"nanos":{"type":"date_nanos"},
      "ip":{"type":"ip"},"point":{"type":"geo_point"},
      "text":{"type":"text","fields":{"raw":{"type":"keyword"}}},"other":{"type":"alias","path":"key"},
      "object":{"properties":{"size":{"type":"integer"}}},"constant":{"type":"constant_keyword","value":"c"},
      "nested":{"type":"nested","properties":{"inner":{"type":"keyword"}}},
      "short_key":{"type":"keyword","ignore_above":3}\
      """;

  private static final String OTHER_TYPES =
      """
      "number":{"type":"long"},"key":{"type":"long"},"double":{"type":"integer"},
      "day":{"type":"date_nanos"},"text":{"type":"keyword"},"flag":{"type":"keyword"},
      "time":{"type":"date"},"keys":{"type":"ip"},"object":{"type":"keyword"}\
      """;

  private final Random random = new Random(SEED);
  private int number;

  private RandomColumnDocuments() {}

  static void load(RestClient rest) {
    RandomColumnDocuments documents = new RandomColumnDocuments();
    String with = "\"index.routing.allocation.require._name\":\"with\",";
    create(rest, "cf-types", 3, with, TYPES);
    create(rest, "cf-sorted", 2, with + "\"index.sort.field\":\"int\",", TYPES);
    create(rest, "cf-single", 1, with, TYPES);
    create(rest, "cf-ignored", 2, with, TYPES);
    create(rest, "cf-mixed", 4, "\"index.routing.allocation.total_shards_per_node\":2,", TYPES);
    create(rest, "cf-other", 2, with, OTHER_TYPES);
    for (String index : new String[] {"cf-types", "cf-sorted", "cf-single", "cf-mixed"}) {
      documents.fill(rest, index, () -> documents.document(false));
    }
    documents.fill(rest, "cf-ignored", () -> documents.document(documents.random.nextInt(9) == 0));
    documents.fill(rest, "cf-other", documents::otherDocument);
  }

  private static void create(
      RestClient rest, String index, int shards, String settings, String types) {
    // index sorting does not go with nested objects
    String mapped =
        settings.contains("index.sort") ? types.replace("\"type\":\"nested\",", "") : types;
    rest.send(
            "PUT",
            "/" + index + "?wait_for_active_shards=all",
            "{\"settings\":{%s\"refresh_interval\":-1,\"number_of_shards\":%d,\"number_of_replicas\":0},"
                    .formatted(settings, shards)
                + "\"mappings\":{\"properties\":{"
                + mapped
                + "}}}")
        .orThrow();
  }

  /** Fills an index in several segments, and deletes some documents. */
  private void fill(RestClient rest, String index, Supplier<String> documents) {
    for (int part = 0; part < 3; part++) {
      StringBuilder lines = new StringBuilder();
      for (int i = 0; i < DOCUMENTS / 3; i++) {
        String id =
            switch (random.nextInt(4)) {
              case 0 -> "\"_id\":\"" + index + "-" + number + "\"";
              case 1 -> "\"_id\":\"" + number + "\"";
              case 2 -> "\"_id\":\"\u00fc \\\"" + number + "\"";
              default -> "";
            };
        lines.append("{\"index\":{").append(id).append("}}\n").append(documents.get()).append('\n');
        number++;
      }
      rest.bulk("/" + index + "/_bulk?refresh=true", lines.toString().getBytes(UTF_8)).orThrow();
    }
    rest.send(
            "POST",
            "/" + index + "/_delete_by_query?refresh=true",
            "{\"query\":{\"range\":{\"number\":{\"gte\":%d,\"lt\":%d}}}}"
                .formatted(number - 100, number - 90))
        .orThrow();
  }

  private String document(boolean hasIgnored) {
    StringBuilder json = new StringBuilder("{\"number\":").append(number);
    add(json, "key", () -> "\"k" + random.nextInt(9) + "\"");
    addMany(json, "keys", () -> "\"\u00e9\\\"x" + random.nextInt(500) + "\"");
    addMany(json, "byte", () -> "" + (byte) random.nextInt());
    addMany(json, "short", () -> "" + (short) random.nextInt());
    addMany(json, "int", () -> "\"" + random.nextInt() + "\"");
    addMany(json, "long", () -> "" + random.nextLong());
    addMany(json, "unsigned", () -> Long.toUnsignedString(random.nextLong()));
    addMany(json, "half", () -> decimal(60_000));
    addMany(json, "float", () -> "" + Math.abs(random.nextFloat()) * 1e9f);
    addMany(json, "double", () -> decimal(1e12));
    addMany(json, "scaled", () -> decimal(1e6));
    addMany(json, "flag", () -> "" + random.nextBoolean());
    addMany(json, "day", () -> "" + (random.nextLong() >>> 22));
    add(json, "far", () -> "" + (random.nextInt(90) == 0 ? -70_000_000_000_000L : -1L));
    addMany(json, "time", () -> "" + random.nextInt());
    addMany(
        json, "nanos", () -> "\"2026-11-2" + random.nextInt(9) + "T01:02:03." + digits() + "Z\"");
    addMany(json, "ip", () -> "\"10.0." + random.nextInt(9) + "." + random.nextInt(99) + "\"");
    add(
        json,
        "point",
        () -> "{\"lat\":" + random.nextInt(80) + ",\"lon\":" + random.nextInt(80) + "}");
    add(json, "text", () -> "\"" + (random.nextBoolean() ? "red " : "blue ") + number % 50 + "\"");
    add(json, "object", () -> "{\"size\":" + random.nextInt(1000) + "}");
    add(json, "nested", () -> "[{\"inner\":\"a\"},{\"inner\":\"b\"}]");
    if (hasIgnored) {
      json.append(",\"short_key\":\"too long\"");
    }
    return json.append('}').toString();
  }

  private String otherDocument() {
    StringBuilder json = new StringBuilder("{\"number\":").append(number);
    addMany(json, "key", () -> "" + random.nextInt());
    addMany(json, "double", () -> "" + random.nextInt());
    addMany(json, "day", () -> "\"2026-11-26T01:02:03." + digits() + "Z\"");
    add(json, "text", () -> "\"red " + random.nextInt(9) + "\"");
    addMany(json, "flag", () -> "\"f" + random.nextInt(9) + "\"");
    addMany(json, "time", () -> "" + random.nextInt());
    addMany(json, "keys", () -> "\"::" + random.nextInt(9) + "\"");
    return json.append('}').toString();
  }

  private String decimal(double most) {
    return String.format(Locale.ROOT, "%.3f", (random.nextDouble() - 0.5) * most);
  }

  private String digits() {
    return "%09d".formatted(random.nextInt(1_000_000_000));
  }

  /** Adds a value, or none. */
  private void add(StringBuilder json, String name, Supplier<String> value) {
    if (random.nextInt(5) > 0) {
      json.append(",\"").append(name).append("\":").append(value.get());
    }
  }

  /** Adds a value, several, or none. */
  private void addMany(StringBuilder json, String name, Supplier<String> value) {
    boolean isMany = random.nextInt(6) == 0;
    add(
        json,
        name,
        () -> {
          if (!isMany) {
            return value.get();
          }
          String again = value.get();
          return "[" + again + "," + value.get() + "," + again + ",null]";
        });
  }
}
