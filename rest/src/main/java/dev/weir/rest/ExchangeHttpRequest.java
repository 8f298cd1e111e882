package dev.weir.rest;

import dev.weir.model.HttpExchange;
import dev.weir.rest.parameters.UsualContentTypes;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.rest.RestStatus;
import org.opensearch.core.xcontent.MediaType;
import org.opensearch.core.xcontent.NamedXContentRegistry;
import org.opensearch.http.HttpChannel;
import org.opensearch.http.HttpRequest;
import org.opensearch.http.HttpResponse;
import org.opensearch.rest.RestRequest;
import org.opensearch.rest.RestRequestInternals;

/**
 * An {@link HttpExchange}'s request as OpenSearch's REST layer sees it. The body is a slice of the
 * exchange's own body if that is on the heap.
 */
final class ExchangeHttpRequest implements HttpRequest {
  /**
   * The prefixes of headers with which a node marks authenticated requests; a client must not send
   * them.
   */
  private static final List<String> NODE_INTERNAL_HEADERS =
      List.of("_opendistro_", "opendistro_security_", "_opensearch_security_");

  private static final String CONTENT_TYPE = "Content-Type";

  private final HttpExchange exchange;
  private final Headers headers;
  private final BytesReference content;

  ExchangeHttpRequest(HttpExchange exchange) {
    this(exchange, headersOf(exchange), contentOf(exchange.body()));
  }

  private ExchangeHttpRequest(HttpExchange exchange, Headers headers, BytesReference content) {
    this.exchange = exchange;
    this.headers = headers;
    this.content = content;
  }

  /** Returns true if the gateway must never accept a header of this name from a client. */
  static boolean isNodeInternal(String header) {
    for (String prefix : NODE_INTERNAL_HEADERS) {
      if (header.regionMatches(true, 0, prefix, 0, prefix.length())) {
        return true;
      }
    }
    return false;
  }

  private static Headers headersOf(HttpExchange exchange) {
    Headers headers = new Headers();
    for (Map.Entry<String, String> header : exchange.headers()) {
      if (!isNodeInternal(header.getKey())) {
        headers.computeIfAbsent(header.getKey(), _ -> new ArrayList<>(1)).add(header.getValue());
      }
    }
    return headers;
  }

  /**
   * Parses the request as {@link RestRequest#request} does. That compiles a pattern to parse the
   * content type; so a usual one is hidden from it.
   */
  RestRequest parse(NamedXContentRegistry xContents, HttpChannel channel) {
    List<String> values = headers.get(CONTENT_TYPE);
    MediaType usual = UsualContentTypes.find(values);
    if (usual == null) {
      return RestRequest.request(xContents, this, channel);
    }
    headers.put(CONTENT_TYPE, List.of());
    RestRequest request;
    try {
      request = RestRequest.request(xContents, this, channel);
    } finally {
      headers.put(CONTENT_TYPE, values);
    }
    RestRequestInternals.setMediaType(request, usual);
    return request;
  }

  private static BytesReference contentOf(ByteBuffer body) {
    if (!body.hasRemaining()) {
      return BytesArray.EMPTY;
    }
    if (body.hasArray()) {
      return new BytesArray(body.array(), body.arrayOffset() + body.position(), body.remaining());
    }
    byte[] copy = new byte[body.remaining()];
    body.duplicate().get(copy);
    return new BytesArray(copy);
  }

  @Override
  public RestRequest.Method method() {
    return RestRequest.Method.valueOf(exchange.method());
  }

  @Override
  public String uri() {
    return exchange.uri();
  }

  @Override
  public BytesReference content() {
    return content;
  }

  @Override
  public Map<String, List<String>> getHeaders() {
    return headers;
  }

  /** Always empty: a node reads cookies only if it is configured to reset them. */
  @Override
  public List<String> strictCookies() {
    return List.of();
  }

  @Override
  public HttpVersion protocolVersion() {
    return switch (exchange.protocolVersion()) {
      case "HTTP/1.0" -> HttpVersion.HTTP_1_0;
      case "HTTP/2.0" -> HttpVersion.HTTP_2_0;
      case "HTTP/3.0" -> HttpVersion.HTTP_3_0;
      default -> HttpVersion.HTTP_1_1;
    };
  }

  @Override
  public ExchangeHttpRequest removeHeader(String header) {
    Headers others = new Headers();
    others.putAll(headers);
    others.remove(header);
    return new ExchangeHttpRequest(exchange, others, content);
  }

  /** Never called: responses are sent through {@link ExchangeRestChannel}. */
  @Override
  public HttpResponse createResponse(RestStatus status, BytesReference ignored) {
    throw new UnsupportedOperationException(
        "got an answer on the HTTP request (expected: on the REST channel)");
  }

  @Override
  public @Nullable Exception getInboundException() {
    return null;
  }

  /** Does nothing: the exchange owns the body. */
  @Override
  public void release() {}

  /** Returns this: the body stays valid until the response. */
  @Override
  public HttpRequest releaseAndCopy() {
    return this;
  }

  /** Returns an empty list for a missing header, as Netty's headers do; error messages show it. */
  private static final class Headers extends TreeMap<String, List<String>> {
    private static final long serialVersionUID = 1L;

    Headers() {
      super(String.CASE_INSENSITIVE_ORDER);
    }

    @Override
    public List<String> get(Object name) {
      List<String> values = super.get(name);
      return values == null ? List.of() : values;
    }
  }
}
