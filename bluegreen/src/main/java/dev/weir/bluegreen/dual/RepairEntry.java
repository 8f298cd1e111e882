package dev.weir.bluegreen.dual;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.opensearch.ExceptionsHelper;
import org.opensearch.OpenSearchException;
import org.opensearch.common.xcontent.XContentHelper;
import org.opensearch.common.xcontent.json.JsonXContent;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.xcontent.XContentBuilder;

/** A line of the repair log: something that a cluster may not have. */
public sealed interface RepairEntry {
  /** When it was noted. */
  Instant time();

  /** The cluster that has it. */
  String from();

  /** The cluster that may not. */
  String to();

  /** Why it may not. */
  Why why();

  /** What was to be written. */
  enum Op {
    /** The document as it was sent. */
    INDEX,
    /** The document is gone. */
    DELETE,
    /** The document as an update left it. */
    UPDATE,
    /** Any of these: the first cluster may have done it, and did not say so. */
    UNKNOWN;

    String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * Which document is meant.
   *
   * @param index as it is called in {@code to}: an index, an alias or a data stream
   * @param concrete the index in {@code from} that it lies in
   * @param routing that it is written with in {@code to}
   * @param lies the routing that it has in {@code from}
   * @param sure whether that is known: else it may be there though it is not found
   */
  record Document(
      String index,
      String concrete,
      String id,
      @Nullable String routing,
      @Nullable String lies,
      boolean sure) {
    /** One that has the same routing in both clusters. */
    Document(String index, String concrete, String id, @Nullable String routing) {
      this(index, concrete, id, routing, routing, true);
    }

    /** The same one, now that it was found with a routing of its own, or with none. */
    Document found(@Nullable String own) {
      if (sure) {
        return this;
      }
      String now = own == null ? lies : own;
      return new Document(index, concrete, id, now, now, true);
    }
  }

  /**
   * Why something is not there, as far as is known.
   *
   * @param status as of HTTP; 0 where no node said anything
   * @param type of the exception, or the gateway's own word
   */
  record Why(int status, String type, String reason) {
    private static final int MOST_CHARACTERS = 500;

    /** What the gateway says itself. */
    static Why own(String type, String reason) {
      return new Why(0, type, reason);
    }

    /** An exception, in a line. */
    static Why of(Throwable failure) {
      Throwable cause = ExceptionsHelper.unwrapCause(failure);
      return new Why(
          ExceptionsHelper.status(cause).getStatus(),
          OpenSearchException.getExceptionName(cause),
          cut(String.valueOf(cause.getMessage())));
    }

    private static String cut(String text) {
      return text.length() <= MOST_CHARACTERS ? text : text.substring(0, MOST_CHARACTERS) + "...";
    }
  }

  /**
   * A document.
   *
   * @param version that the first cluster gave it; 0 where it is not known
   */
  record OfDocument(
      Instant time, String from, String to, Op op, Document document, long version, Why why)
      implements RepairEntry {}

  /**
   * A request that may have written documents, nobody knows which.
   *
   * @param path without the query
   */
  record OfRequest(Instant time, String from, String to, String method, String path, Why why)
      implements RepairEntry {
    /** Of a request as it was sent, whose query may tell too much. */
    static OfRequest of(Instant time, String from, String to, String method, String uri, Why why) {
      int query = uri.indexOf('?');
      return new OfRequest(
          time, from, to, method, Why.cut(query < 0 ? uri : uri.substring(0, query)), why);
    }
  }

  /** The entry as a line of JSON, with its end. */
  default byte[] line() {
    try (XContentBuilder json = JsonXContent.contentBuilder()) {
      json.startObject();
      json.field("time", time().toString()).field("from", from()).field("to", to());
      switch (this) {
        case OfDocument entry -> {
          Document document = entry.document();
          json.field("op", entry.op().label());
          json.field("index", document.index()).field("concrete", document.concrete());
          json.field("id", document.id());
          if (document.routing() != null) {
            json.field("routing", document.routing());
          }
          if (!Objects.equals(document.lies(), document.routing())) {
            json.field("from_routing", document.lies());
          }
          if (!document.sure()) {
            json.field("routing_known", false);
          }
          json.field("version", entry.version());
        }
        case OfRequest entry ->
            json.field("op", "request").field("method", entry.method()).field("path", entry.path());
      }
      json.startObject("why");
      json.field("status", why().status()).field("type", why().type());
      json.field("reason", why().reason());
      json.endObject().endObject();
      BytesReference text = BytesReference.bytes(json);
      byte[] line = Arrays.copyOf(BytesReference.toBytes(text), text.length() + 1);
      line[text.length()] = '\n';
      return line;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Reads a line.
   *
   * @throws IllegalArgumentException when it is no such line
   */
  static RepairEntry read(String line) {
    try {
      Map<String, Object> json =
          XContentHelper.convertToMap(JsonXContent.jsonXContent, line, false);
      Instant time = Instant.parse(text(json, "time"));
      String from = text(json, "from");
      String to = text(json, "to");
      Why why = why(json.get("why"));
      String op = text(json, "op");
      if (op.equals("request")) {
        return new OfRequest(time, from, to, text(json, "method"), text(json, "path"), why);
      }
      String routing = optional(json, "routing");
      return new OfDocument(
          time,
          from,
          to,
          Op.valueOf(op.toUpperCase(Locale.ROOT)),
          new Document(
              text(json, "index"),
              text(json, "concrete"),
              text(json, "id"),
              routing,
              json.containsKey("from_routing") ? optional(json, "from_routing") : routing,
              !Boolean.FALSE.equals(json.get("routing_known"))),
          number(json, "version"),
          why);
    } catch (DateTimeParseException | OpenSearchException e) {
      throw new IllegalArgumentException("got a line that can't be read: " + e.getMessage(), e);
    }
  }

  private static Why why(@Nullable Object json) {
    if (!(json instanceof Map<?, ?> map)) {
      return Why.own("", "");
    }
    return new Why(
        map.get("status") instanceof Number status ? status.intValue() : 0,
        String.valueOf(map.get("type")),
        String.valueOf(map.get("reason")));
  }

  private static @Nullable String optional(Map<String, Object> json, String name) {
    Object value = json.get(name);
    return value == null ? null : value.toString();
  }

  private static String text(Map<String, Object> json, String name) {
    if (json.get(name) instanceof String text) {
      return text;
    }
    throw new IllegalArgumentException("got no " + name + " (expected: a text)");
  }

  private static long number(Map<String, Object> json, String name) {
    if (json.get(name) instanceof Number number) {
      return number.longValue();
    }
    throw new IllegalArgumentException("got no " + name + " (expected: a number)");
  }
}
