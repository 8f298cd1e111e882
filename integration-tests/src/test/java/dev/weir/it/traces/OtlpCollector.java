package dev.weir.it.traces;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.function.Predicate;

/**
 * A collector that receives spans by OTLP over HTTP and stores them. Parses the messages field by
 * field: {@code ExportTraceServiceRequest} of opentelemetry-proto.
 */
final class OtlpCollector implements AutoCloseable {
  private static final long TIMEOUT_NANOS = 180_000_000_000L;
  private static final HexFormat HEX = HexFormat.of();

  private final HttpServer server;
  private final List<Span> spans = new ArrayList<>();

  /** The headers of received requests. */
  final ConcurrentLinkedQueue<String> authorizations = new ConcurrentLinkedQueue<>();

  /**
   * A received span.
   *
   * @param kind 1 internal, 2 server, 3 client
   * @param status 0 unset, 1 ok, 2 error
   * @param attributes numbers as text
   * @param resource attributes of the process that recorded it
   */
  record Span(
      String traceId,
      String spanId,
      String parentId,
      String name,
      long kind,
      long startNanos,
      long endNanos,
      long status,
      Map<String, String> attributes,
      Map<String, String> resource) {

    String get(String attribute) {
      return attributes.getOrDefault(attribute, "");
    }
  }

  private OtlpCollector(HttpServer server) {
    this.server = server;
  }

  static OtlpCollector start() throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    OtlpCollector collector = new OtlpCollector(server);
    server.createContext("/v1/traces", collector::take);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.start();
    return collector;
  }

  /** Returns the value of {@code observability.traces.endpoint}. */
  String endpoint() {
    return "http://" + address() + "/v1/traces";
  }

  String address() {
    return "127.0.0.1:" + server.getAddress().getPort();
  }

  private void take(HttpExchange exchange) throws IOException {
    try (exchange) {
      authorizations.add(
          Optional.ofNullable(exchange.getRequestHeaders().getFirst("Authorization")).orElse(""));
      read(UnknownFieldSet.parseFrom(exchange.getRequestBody()));
      exchange.getResponseHeaders().set("Content-Type", "application/x-protobuf");
      exchange.sendResponseHeaders(200, -1);
    }
  }

  private void read(UnknownFieldSet request) throws IOException {
    for (UnknownFieldSet ofResource : messages(request, 1)) {
      Map<String, String> resource = new TreeMap<>();
      for (UnknownFieldSet described : messages(ofResource, 1)) {
        resource.putAll(attributes(described, 1));
      }
      for (UnknownFieldSet ofScope : messages(ofResource, 2)) {
        for (UnknownFieldSet span : messages(ofScope, 2)) {
          Span read = span(span, resource);
          synchronized (spans) {
            spans.add(read);
            spans.notifyAll();
          }
        }
      }
    }
  }

  private static Span span(UnknownFieldSet span, Map<String, String> resource) throws IOException {
    long status = 0;
    for (UnknownFieldSet said : messages(span, 15)) {
      status = number(said, 3);
    }
    return new Span(
        HEX.formatHex(bytes(span, 1).toByteArray()),
        HEX.formatHex(bytes(span, 2).toByteArray()),
        HEX.formatHex(bytes(span, 4).toByteArray()),
        bytes(span, 5).toStringUtf8(),
        number(span, 6),
        span.getField(7).getFixed64List().getFirst(),
        span.getField(8).getFixed64List().getFirst(),
        status,
        attributes(span, 9),
        resource);
  }

  private static Map<String, String> attributes(UnknownFieldSet message, int field)
      throws IOException {
    Map<String, String> attributes = new TreeMap<>();
    for (UnknownFieldSet pair : messages(message, field)) {
      for (UnknownFieldSet value : messages(pair, 2)) {
        String text =
            value.hasField(1) ? bytes(value, 1).toStringUtf8() : Long.toString(number(value, 3));
        attributes.put(bytes(pair, 1).toStringUtf8(), text);
      }
    }
    return attributes;
  }

  private static List<UnknownFieldSet> messages(UnknownFieldSet message, int field)
      throws IOException {
    List<UnknownFieldSet> inner = new ArrayList<>();
    for (ByteString bytes : message.getField(field).getLengthDelimitedList()) {
      inner.add(UnknownFieldSet.parseFrom(bytes));
    }
    return inner;
  }

  private static ByteString bytes(UnknownFieldSet message, int field) {
    List<ByteString> values = message.getField(field).getLengthDelimitedList();
    return values.isEmpty() ? ByteString.EMPTY : values.getFirst();
  }

  private static long number(UnknownFieldSet message, int field) {
    List<Long> values = message.getField(field).getVarintList();
    return values.isEmpty() ? 0 : values.getFirst();
  }

  /** Waits for the server span of a trace, which ends last, and returns all spans of the trace. */
  List<Span> awaitTrace(String traceId) throws InterruptedException {
    Predicate<Span> its = span -> span.traceId().equals(traceId);
    long deadline = System.nanoTime() + TIMEOUT_NANOS;
    synchronized (spans) {
      while (spans.stream().noneMatch(its.and(span -> span.kind() == 2))) {
        long left = (deadline - System.nanoTime()) / 1_000_000;
        if (left <= 0) {
          throw new AssertionError("got " + spans + " (expected: the trace " + traceId + ")");
        }
        spans.wait(left);
      }
      return spans.stream().filter(its).toList();
    }
  }

  /** Returns all spans so far. */
  List<Span> allSpans() {
    synchronized (spans) {
      return List.copyOf(spans);
    }
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
