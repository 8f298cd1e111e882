package dev.weir.http.connection;

import dev.weir.http.options.HttpCompression;
import dev.weir.http.options.HttpLimits;
import dev.weir.http.response.ContentCoding;
import dev.weir.model.BufferedResponse;
import dev.weir.model.RequestTrace;
import dev.weir.model.RequestTracer;
import dev.weir.model.TraceParent;
import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.AsciiString;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads and writes headers of requests and responses as a node does. */
public final class HttpHeaderRules {

  /** What the {@code Expect} header asks for before the client sends the body. */
  public enum Expectation {
    NONE,
    CONTINUE,
    /** {@code 100-continue}, for a body above the limit. */
    TOO_LONG,
    UNKNOWN
  }

  static final AsciiString OPAQUE_ID = AsciiString.cached("X-Opaque-Id");

  /**
   * Names the gateway's id of a rejected request, under which the client can ask for the
   * explanation.
   */
  public static final AsciiString REQUEST_NUMBER = AsciiString.cached("X-Weir-Request-Id");

  private static final AsciiString TRACE_PARENT = AsciiString.cached(TraceParent.HEADER);
  private static final AsciiString REQUEST_ID = AsciiString.cached("X-Request-Id");
  private static final AsciiString SERVER_VERSION = AsciiString.cached("X-OpenSearch-Version");

  private HttpHeaderRules() {}

  /**
   * Returns whether the connection closes after the response, by a node's {@code
   * HttpUtils.shouldCloseConnection}.
   */
  static boolean shouldCloseConnection(HttpRequest request) {
    String connection = request.headers().get(HttpHeaderNames.CONNECTION);
    if (HttpHeaderValues.CLOSE.contentEqualsIgnoreCase(connection)) {
      return true;
    }
    HttpVersion version = request.protocolVersion();
    return !version.equals(HttpVersion.HTTP_1_1)
        && !(version.equals(HttpVersion.HTTP_1_0)
            && HttpHeaderValues.KEEP_ALIVE.contentEqualsIgnoreCase(connection));
  }

  /**
   * Returns whether a response with this status may be a rejection that the gateway can explain.
   */
  public static boolean mayBeRejection(int status) {
    return status == 429 || status == 408;
  }

  /** Returns whether a node accepts the method. */
  public static boolean isKnown(HttpMethod method) {
    return switch (method.name()) {
      case "GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "TRACE", "CONNECT" -> true;
      default -> false;
    };
  }

  /** Returns whether a node accepts the version; it closes other connections without a response. */
  public static boolean isKnown(HttpVersion version) {
    return version.equals(HttpVersion.HTTP_1_1) || version.equals(HttpVersion.HTTP_1_0);
  }

  /** Returns the announced body length in bytes; negative when there is none. */
  public static long contentLength(HttpRequest request) {
    String value = request.headers().get(HttpHeaderNames.CONTENT_LENGTH);
    if (value == null) {
      return -1;
    }
    try {
      return Long.parseLong(value);
    } catch (NumberFormatException e) {
      return -1;
    }
  }

  /** Returns whether a body may follow the headers. */
  public static boolean hasBody(HttpRequest request, long contentLength) {
    return contentLength > 0 || (contentLength < 0 && HttpUtil.isTransferEncodingChunked(request));
  }

  /**
   * Returns what is wrong with the request's message framing; null for nothing. Netty rejects what
   * RFC 9112 (6.1, 6.3) forbids, but accepts several Transfer-Encoding headers. A node could read
   * these differently and take bytes of a passed-through body for a request (request smuggling).
   */
  public static @Nullable String findFramingFault(HttpRequest request) {
    HttpHeaders headers = request.headers();
    if (!headers.contains(HttpHeaderNames.TRANSFER_ENCODING)) {
      return null;
    }
    int lines = headers.getAll(HttpHeaderNames.TRANSFER_ENCODING).size();
    return lines == 1 ? null : "got " + lines + " Transfer-Encoding headers (expected: one)";
  }

  /** Returns whether the body has no transfer coding besides chunked. */
  public static boolean isPlainlyFramed(HttpRequest request) {
    String coding = request.headers().get(HttpHeaderNames.TRANSFER_ENCODING);
    return coding == null || HttpHeaderValues.CHUNKED.contentEqualsIgnoreCase(coding);
  }

  public static Expectation parseExpectation(
      HttpRequest request, long contentLength, HttpLimits limits) {
    String expected = request.headers().get(HttpHeaderNames.EXPECT);
    if (expected == null || request.protocolVersion().compareTo(HttpVersion.HTTP_1_1) < 0) {
      return Expectation.NONE;
    }
    if (!HttpHeaderValues.CONTINUE.contentEqualsIgnoreCase(expected)) {
      return Expectation.UNKNOWN;
    }
    request.headers().remove(HttpHeaderNames.EXPECT);
    return contentLength > limits.maxContentBytes() ? Expectation.TOO_LONG : Expectation.CONTINUE;
  }

  /**
   * Chooses the response's content coding among those that the client accepts.
   *
   * @param answered the response's headers, which may name a coding already
   * @return null for none
   */
  public static @Nullable ContentCoding chooseCoding(
      HttpRequest request, HttpHeaders answered, HttpCompression options) {
    if (request.method().equals(HttpMethod.HEAD)
        || answered.contains(HttpHeaderNames.CONTENT_ENCODING)
        || request.protocolVersion().equals(HttpVersion.HTTP_1_0)) {
      return null;
    }
    HttpHeaders headers = request.headers();
    String accepted = headers.get(HttpHeaderNames.ACCEPT_ENCODING);
    if (accepted == null) {
      return null;
    }
    List<String> all = headers.getAll(HttpHeaderNames.ACCEPT_ENCODING);
    return ContentCoding.choose(all.size() == 1 ? accepted : String.join(",", all), options);
  }

  /** Returns the client's {@code X-Opaque-Id}; empty for none. */
  public static String opaqueId(HttpRequest request) {
    return request.headers().get(OPAQUE_ID, "");
  }

  /**
   * Starts the trace of a request, which may or may not record. A recorded request reaches nodes
   * with its own span as parent.
   *
   * @param startedNanos when the request's first byte arrived
   */
  public static RequestTrace startTrace(
      HttpRequest request, RequestTracer traces, long startedNanos) {
    String parent = traceParent(request);
    RequestTrace trace = traces.start(parent.isEmpty() ? null : parent, startedNanos);
    if (trace.isRecording()) {
      request.headers().set(TRACE_PARENT, trace.traceParent());
    }
    return trace;
  }

  /** Sets the parent span of a passed-through request. */
  public static void setTraceParent(HttpRequest request, String traceParent) {
    request.headers().set(TRACE_PARENT, traceParent);
  }

  /** Returns the request's {@code traceparent}; empty for none, or for several. */
  public static String traceParent(HttpRequest request) {
    String value = request.headers().get(TRACE_PARENT);
    return value == null || request.headers().getAll(TRACE_PARENT).size() > 1 ? "" : value;
  }

  /**
   * Creates the headers of a response in a node's order, without content-length.
   *
   * @param serverVersion the value of {@code X-OpenSearch-Version}; empty for none
   * @throws IllegalArgumentException when a header can't be sent as it is
   */
  public static HttpHeaders responseHeaders(
      HttpRequest request, BufferedResponse reply, String serverVersion) {
    HttpHeaders headers = DefaultHttpHeadersFactory.headersFactory().newHeaders();
    echoHeader(OPAQUE_ID, request, reply, headers);
    echoHeader(REQUEST_ID, request, reply, headers);
    for (Map.Entry<String, String> header : reply.headers()) {
      headers.add(header.getKey(), header.getValue());
    }
    if (!serverVersion.isEmpty() && !hasHeader(reply, SERVER_VERSION)) {
      headers.add(SERVER_VERSION, serverVersion);
    }
    if (!reply.contentType().isEmpty()) {
      headers.add(HttpHeaderNames.CONTENT_TYPE, reply.contentType());
    }
    return headers;
  }

  private static void echoHeader(
      AsciiString name, HttpRequest request, BufferedResponse reply, HttpHeaders headers) {
    String value = request.headers().get(name);
    if (value != null && !hasHeader(reply, name)) {
      headers.add(name, value);
    }
  }

  private static boolean hasHeader(BufferedResponse reply, AsciiString name) {
    for (Map.Entry<String, String> header : reply.headers()) {
      if (name.contentEqualsIgnoreCase(header.getKey())) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether the query has {@code pretty}, which asks for indented JSON. */
  public static boolean isPretty(String uri) {
    int query = uri.indexOf('?');
    if (query < 0) {
      return false;
    }
    for (String parameter : uri.substring(query + 1).split("[&;]", -1)) {
      if (parameter.equals("pretty")
          || parameter.equals("pretty=")
          || parameter.equals("pretty=true")) {
        return true;
      }
    }
    return false;
  }
}
