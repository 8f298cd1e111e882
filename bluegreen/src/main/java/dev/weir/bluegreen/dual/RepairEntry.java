package dev.weir.bluegreen.dual;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.List;
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

/** A line of the repair log: a write that a cluster may lack. */
public sealed interface RepairEntry {
  /** When it was recorded. */
  Instant time();

  /** The cluster that has the write. */
  String sourceCluster();

  /** The cluster that may lack it. */
  String targetCluster();

  /** Why it may be missing. */
  Cause cause();

  /** The kind of write. */
  enum Op {
    /** The client's document. */
    INDEX,
    /** A deletion. */
    DELETE,
    /** The document after an update. */
    UPDATE,
    /** Any of these: the first cluster may have executed it without a confirmation. */
    UNKNOWN;

    String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * The location of a document.
   *
   * @param index its name in the target cluster: an index, an alias or a data stream
   * @param concreteIndex its index in the source cluster
   * @param routing its routing in the target cluster
   * @param sourceRouting its routing in the source cluster
   * @param locationCertain whether the location is known; otherwise the document may exist
   *     elsewhere
   */
  record Document(
      String index,
      String concreteIndex,
      String id,
      @Nullable String routing,
      @Nullable String sourceRouting,
      boolean locationCertain) {
    /** A location with the same routing in both clusters. */
    public Document(String index, String concrete, String id, @Nullable String routing) {
      this(index, concrete, id, routing, routing, true);
    }

    /** A location whose routing a line has as {@link #writeRouting} wrote it. */
    static Document withRoutingOf(Map<?, ?> line, String index, String concrete, String id) {
      String routing = optional(line, "routing");
      return new Document(
          index,
          concrete,
          id,
          routing,
          line.containsKey("from_routing") ? optional(line, "from_routing") : routing,
          !Boolean.FALSE.equals(line.get("routing_known")));
    }

    private static @Nullable String optional(Map<?, ?> line, String name) {
      Object value = line.get(name);
      return value == null ? null : value.toString();
    }

    /** Writes the routing in both clusters into an object, as far as it is not the usual one. */
    void writeRouting(XContentBuilder json) throws IOException {
      if (routing != null) {
        json.field("routing", routing);
      }
      if (!Objects.equals(sourceRouting, routing)) {
        json.field("from_routing", sourceRouting);
      }
      if (!locationCertain) {
        json.field("routing_known", false);
      }
    }

    /** The same document with the stored routing that was read. */
    Document withFoundRouting(@Nullable String own) {
      if (locationCertain) {
        return this;
      }
      String now = own == null ? sourceRouting : own;
      return new Document(index, concreteIndex, id, now, now, true);
    }
  }

  /**
   * Why a write is missing, as far as known.
   *
   * @param status the HTTP status; 0 without a response
   * @param type the exception type, or a word of the gateway
   */
  record Cause(int status, String type, String reason) {
    /** The type of an entry that a comparison of the clusters made: its time is no write's. */
    public static final String COMPARED = "compared";

    private static final int MAX_CHARACTERS = 500;

    /** What comes before a value of the document in a node's message. */
    private static final List<String> BEFORE_VALUES =
        List.of(
            "Preview of field's value:",
            "The prefix of the first immense term is:",
            "For input string:");

    /** A cause that the gateway itself determined. */
    static Cause ofGateway(String type, String reason) {
      return new Cause(0, type, reason);
    }

    /** A cause from an exception, on one line, without the values of fields that it shows. */
    static Cause of(Throwable failure) {
      Throwable cause = ExceptionsHelper.unwrapCause(failure);
      return new Cause(
          ExceptionsHelper.status(cause).getStatus(),
          OpenSearchException.getExceptionName(cause),
          truncate(withoutValues(String.valueOf(cause.getMessage()))));
    }

    private static String withoutValues(String message) {
      int end = message.length();
      for (String marker : BEFORE_VALUES) {
        int found = message.indexOf(marker);
        end = found < 0 ? end : Math.min(end, found);
      }
      return message.substring(0, end).stripTrailing();
    }

    private static String truncate(String text) {
      return text.length() <= MAX_CHARACTERS ? text : text.substring(0, MAX_CHARACTERS) + "...";
    }
  }

  /**
   * A document.
   *
   * @param version assigned by the first cluster; 0 if unknown
   */
  record DocumentEntry(
      Instant time,
      String sourceCluster,
      String targetCluster,
      Op op,
      Document document,
      long version,
      Cause cause)
      implements RepairEntry {
    /** Whether the first cluster acknowledged the write, at the entry's time. */
    boolean isAcknowledged() {
      return op != Op.UNKNOWN && !isCompared();
    }

    /** Whether a comparison of the clusters made it, which knows the stored routing. */
    boolean isCompared() {
      return cause.type().equals(Cause.COMPARED);
    }
  }

  /**
   * A request that may have written unknown documents.
   *
   * @param path without the query
   */
  record RequestEntry(
      Instant time,
      String sourceCluster,
      String targetCluster,
      String method,
      String path,
      Cause cause)
      implements RepairEntry {
    /** Creates the entry of a request without its query, which may contain secrets. */
    static RequestEntry of(
        Instant time, String from, String to, String method, String uri, Cause cause) {
      int query = uri.indexOf('?');
      return new RequestEntry(
          time, from, to, method, Cause.truncate(query < 0 ? uri : uri.substring(0, query)), cause);
    }
  }

  /** Serialises the entry as a line of JSON with a line feed. */
  default byte[] toLine() {
    try (XContentBuilder json = JsonXContent.contentBuilder()) {
      json.startObject();
      json.field("time", time().toString())
          .field("from", sourceCluster())
          .field("to", targetCluster());
      switch (this) {
        case DocumentEntry entry -> {
          Document document = entry.document();
          json.field("op", entry.op().label());
          json.field("index", document.index()).field("concrete", document.concreteIndex());
          json.field("id", document.id());
          document.writeRouting(json);
          json.field("version", entry.version());
        }
        case RequestEntry entry ->
            json.field("op", "request").field("method", entry.method()).field("path", entry.path());
      }
      json.startObject("why");
      json.field("status", cause().status()).field("type", cause().type());
      json.field("reason", cause().reason());
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
   * Parses a line.
   *
   * @throws IllegalArgumentException if the line is invalid
   */
  static RepairEntry parse(String line) {
    try {
      Map<String, Object> json =
          XContentHelper.convertToMap(JsonXContent.jsonXContent, line, false);
      Instant time = Instant.parse(text(json, "time"));
      String from = text(json, "from");
      String to = text(json, "to");
      Cause cause = cause(json.get("why"));
      String op = text(json, "op");
      if (op.equals("request")) {
        return new RequestEntry(time, from, to, text(json, "method"), text(json, "path"), cause);
      }
      return new DocumentEntry(
          time,
          from,
          to,
          Op.valueOf(op.toUpperCase(Locale.ROOT)),
          Document.withRoutingOf(
              json, text(json, "index"), text(json, "concrete"), text(json, "id")),
          number(json, "version"),
          cause);
    } catch (DateTimeParseException | OpenSearchException e) {
      throw new IllegalArgumentException("got a line that can't be read: " + e.getMessage(), e);
    }
  }

  private static Cause cause(@Nullable Object json) {
    if (!(json instanceof Map<?, ?> map)) {
      return Cause.ofGateway("", "");
    }
    return new Cause(
        map.get("status") instanceof Number status ? status.intValue() : 0,
        String.valueOf(map.get("type")),
        String.valueOf(map.get("reason")));
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
