package dev.weir.bluegreen.dual;

import dev.weir.bluegreen.dual.RepairEntry.Cause;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.opensearch.OpenSearchException;
import org.opensearch.common.xcontent.XContentHelper;
import org.opensearch.common.xcontent.json.JsonXContent;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.xcontent.XContentBuilder;

/**
 * The intents of dual writes as JSON: where the documents are, and nothing of their contents.
 * Consecutive documents that differ in their id alone share an object.
 *
 * <pre>
 *   {"time":"...","from":"blue","to":"green",
 *    "writes":[{"index":"logs","concrete":"logs-000001","routing":"r","ids":["1","2"]}]}
 * </pre>
 *
 * <p>{@code "ids":[""]} stands for documents whose ids a node generates.
 */
final class IntentCodec {
  /** The type of the entries that recovered intents become. */
  static final String GATEWAY_LOST = "gateway-lost";

  /** Why the intents of an ended gateway are in the repair log. */
  static final Cause LOST =
      Cause.ofGateway(
          GATEWAY_LOST, "the gateway ended before it knew what became of the write in both");

  /** Why abandoned intents are in the repair log. */
  static final Cause UNLOGGED =
      Cause.ofGateway(
          "repair-log-failed", "the repair log did not take the missed write when it was missed");

  private IntentCodec() {}

  /** Encodes an intent in one line. */
  static byte[] encode(Instant time, String from, String to, List<RepairEntry.Document> documents) {
    try (XContentBuilder json = JsonXContent.contentBuilder()) {
      json.startObject().field("time", time.toString()).field("from", from).field("to", to);
      json.startArray("writes");
      RepairEntry.Document before = null;
      for (RepairEntry.Document document : documents) {
        if (before == null || !isSamePlace(before, document)) {
          if (before != null) {
            json.endArray().endObject();
          }
          startPlace(json, document);
        }
        json.value(document.id());
        before = document;
      }
      if (before != null) {
        json.endArray().endObject();
      }
      json.endArray().endObject();
      return BytesReference.toBytes(BytesReference.bytes(json));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void startPlace(XContentBuilder json, RepairEntry.Document document)
      throws IOException {
    json.startObject();
    json.field("index", document.index()).field("concrete", document.concreteIndex());
    document.writeRouting(json);
    json.startArray("ids");
  }

  private static boolean isSamePlace(RepairEntry.Document one, RepairEntry.Document other) {
    return one.locationCertain() == other.locationCertain()
        && one.index().equals(other.index())
        && one.concreteIndex().equals(other.concreteIndex())
        && Objects.equals(one.routing(), other.routing())
        && Objects.equals(one.sourceRouting(), other.sourceRouting());
  }

  /** Takes an entry; may block. */
  interface EntryConsumer {
    void accept(RepairEntry entry) throws IOException;
  }

  /**
   * Turns an intent without an outcome into entries of the repair log, one after the other: a bulk
   * may have very many.
   *
   * @throws IllegalArgumentException if the line is invalid
   */
  static void decode(byte[] payload, Cause cause, EntryConsumer consumer) throws IOException {
    try {
      Map<String, Object> json =
          XContentHelper.convertToMap(
              JsonXContent.jsonXContent, new String(payload, StandardCharsets.UTF_8), false);
      Instant time = Instant.parse(String.valueOf(json.get("time")));
      String from = String.valueOf(json.get("from"));
      String to = String.valueOf(json.get("to"));
      for (Object one : list(json.get("writes"))) {
        if (one instanceof Map<?, ?> place) {
          for (Object id : list(place.get("ids"))) {
            consumer.accept(entry(time, from, to, place, String.valueOf(id), cause));
          }
        }
      }
    } catch (DateTimeException | OpenSearchException e) {
      throw new IllegalArgumentException("got a line that can't be read: " + e.getMessage(), e);
    }
  }

  private static RepairEntry entry(
      Instant time, String from, String to, Map<?, ?> place, String id, Cause cause) {
    String index = String.valueOf(place.get("index"));
    if (id.isEmpty()) {
      String path = "/" + place.get("concrete") + "/_bulk";
      return RepairEntry.RequestEntry.of(time, from, to, "POST", path, cause);
    }
    RepairEntry.Document document =
        RepairEntry.Document.withRoutingOf(place, index, String.valueOf(place.get("concrete")), id);
    return new RepairEntry.DocumentEntry(
        time, from, to, RepairEntry.Op.UNKNOWN, document, 0, cause);
  }

  private static List<?> list(@Nullable Object json) {
    return json instanceof List<?> list ? list : List.of();
  }
}
