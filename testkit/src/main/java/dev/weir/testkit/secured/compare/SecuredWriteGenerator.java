package dev.weir.testkit.secured.compare;

import static dev.weir.testkit.secured.compare.ComparedEndpointClient.DRAFT;
import static dev.weir.testkit.secured.compare.ComparedEndpointClient.STREAM;

import java.util.List;
import java.util.Random;

/**
 * Generates writes, and reads of what was written. Each endpoint has an index and a data stream of
 * its own, which get the same writes in the same order. Confined to one thread.
 */
final class SecuredWriteGenerator {
  private static final int IDS = 30;

  private final Random random;
  private int written;

  SecuredWriteGenerator(Random random) {
    this.random = random;
  }

  List<ComparedRequest> next(ComparedIdentity identity) {
    // half of the writes come from those who may write
    return switch (random.nextInt(4)) {
      case 0 -> List.of(document(ComparedIdentity.INDEXER));
      case 1 -> event(ComparedIdentity.STREAM_WRITER);
      case 2 -> List.of(bulk(random.nextBoolean() ? ComparedIdentity.INDEXER : identity));
      default -> random.nextBoolean() ? List.of(document(identity)) : event(identity);
    };
  }

  private ComparedRequest document(ComparedIdentity identity) {
    String id = id();
    String index = pick(List.of(DRAFT, DRAFT, DRAFT, DRAFT, "payrolls", "orders-2027-01"));
    // a write that nobody may make, because others read these indices
    ComparedIdentity writer =
        index.equals(DRAFT) || identity != ComparedIdentity.INDEXER
            ? identity
            : ComparedIdentity.NOBODY;
    String document = json();
    return switch (random.nextInt(6)) {
      case 0 -> ComparedRequest.once(writer, "PUT", path(index, "_doc", id), document);
      case 1 -> ComparedRequest.once(writer, "PUT", path(index, "_create", id), document);
      case 2 ->
          ComparedRequest.once(
              writer, "POST", path(index, "_update", id), "{\"doc\":" + document + "}");
      case 3 ->
          ComparedRequest.once(
              writer,
              "POST",
              path(index, "_update", id),
              "{\"doc\":" + document + ",\"doc_as_upsert\":true}");
      case 4 -> ComparedRequest.once(writer, "DELETE", path(index, "_doc", id), "");
      default ->
          ComparedRequest.once(
              writer,
              "PUT",
              "/" + index + "/_doc/" + id + "?refresh=true&if_seq_no=1&if_primary_term=1",
              document);
    };
  }

  private List<ComparedRequest> event(ComparedIdentity identity) {
    String event =
        "{\"@timestamp\":\"2026-11-01T08:00:00Z\",\"event\":\"opened\",\"n\":" + ++written + "}";
    ComparedRequest write =
        random.nextBoolean()
            ? ComparedRequest.once(identity, "POST", "/" + STREAM + "/_doc?refresh=true", event)
            : ComparedRequest.once(
                identity, "PUT", "/" + STREAM + "/_create/e" + written + "?refresh=true", event);
    String search = "{\"size\":3,\"sort\":[{\"n\":\"desc\"}],\"track_total_hits\":true}";
    return List.of(
        write, ComparedRequest.read(identity, "POST", "/" + STREAM + "/_search", search));
  }

  private ComparedRequest bulk(ComparedIdentity identity) {
    StringBuilder lines = new StringBuilder();
    for (int items = 1 + random.nextInt(6); items > 0; items--) {
      String id = id();
      switch (random.nextInt(7)) {
        case 0 -> append(lines, "create", DRAFT, id, json());
        case 1 -> append(lines, "update", DRAFT, id, "{\"doc\":" + json() + "}");
        case 2 ->
            lines.append("{\"delete\":{\"_index\":\"%s\",\"_id\":\"%s\"}}\n".formatted(DRAFT, id));
        case 3 -> append(lines, "index", "payrolls-none", id, json());
        case 4 -> append(lines, "create", "events-shop", "1", "{\"n\":1}");
        default -> append(lines, "index", DRAFT, id, json());
      }
    }
    return ComparedRequest.once(identity, "POST", "/_bulk?refresh=true", lines.toString());
  }

  private static void append(
      StringBuilder lines, String op, String index, String id, String source) {
    lines
        .append("{\"%s\":{\"_index\":\"%s\",\"_id\":\"%s\"}}\n".formatted(op, index, id))
        .append(source)
        .append('\n');
  }

  private static String path(String index, String endpoint, String id) {
    return "/" + index + "/" + endpoint + "/" + id + "?refresh=true";
  }

  private String json() {
    return "{\"order\":\"D-%d\",\"region\":\"west\",\"amount\":%d}"
        .formatted(++written, random.nextInt(1000));
  }

  private String id() {
    return "w" + random.nextInt(IDS);
  }

  private String pick(List<String> choices) {
    return choices.get(random.nextInt(choices.size()));
  }
}
