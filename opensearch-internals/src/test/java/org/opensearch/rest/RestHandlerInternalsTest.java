package org.opensearch.rest;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.rest.RestStatus;
import org.opensearch.core.xcontent.NamedXContentRegistry;
import org.opensearch.http.HttpRequest;
import org.opensearch.http.HttpResponse;
import org.opensearch.transport.client.node.NodeClient;

class RestHandlerInternalsTest {
  private record Body(String uri, String text) implements HttpRequest {
    @Override
    public RestRequest.Method method() {
      return RestRequest.Method.POST;
    }

    @Override
    public BytesReference content() {
      return new BytesArray(text);
    }

    @Override
    public Map<String, List<String>> getHeaders() {
      return Map.of();
    }

    @Override
    public List<String> strictCookies() {
      return List.of();
    }

    @Override
    public HttpVersion protocolVersion() {
      return HttpVersion.HTTP_1_1;
    }

    @Override
    public HttpRequest removeHeader(String header) {
      return this;
    }

    @Override
    public HttpResponse createResponse(RestStatus status, BytesReference content) {
      throw new UnsupportedOperationException("got an answer (expected: none)");
    }

    @Override
    public Exception getInboundException() {
      return null;
    }

    @Override
    public void release() {}

    @Override
    public HttpRequest releaseAndCopy() {
      return this;
    }
  }

  /** Reads two parameters, and the body if one of them says so. */
  private static final class Reader extends BaseRestHandler {
    private final AtomicInteger prepared = new AtomicInteger();
    private final AtomicInteger carriedOut = new AtomicInteger();

    @Override
    public String getName() {
      return "reader";
    }

    @Override
    public List<Route> routes() {
      return List.of();
    }

    @Override
    protected Set<String> responseParams() {
      return Set.of("typed_keys");
    }

    @Override
    protected RestChannelConsumer prepareRequest(RestRequest request, NodeClient client) {
      prepared.incrementAndGet();
      request.param("size");
      if (request.paramAsBoolean("body", false)) {
        request.content();
      }
      return channel -> carriedOut.incrementAndGet();
    }
  }

  private static RestRequest request(String uri, String body) {
    return RestRequest.request(NamedXContentRegistry.EMPTY, new Body(uri, body), null);
  }

  @ParameterizedTest
  @CsvSource({
    "/a, ''",
    "/a?size=1, ''",
    "/a?typed_keys, ''",
    "/a?size=1&typed_keys=true&body, x",
    "/a?sizes=1, ''",
    "/a?size=1&from=2&typed_key, ''",
    "/a?size=1, x",
    "/a?body=no, ''",
    "/a, x",
    "/a?wrong, x"
  })
  void checkLikeTheHandlerItself(String uri, String body) {
    Reader whole = new Reader();
    String expected = "";
    try {
      whole.handleRequest(request(uri, body), null, null);
    } catch (Exception wrong) {
      expected = wrong.toString();
    }

    Reader apart = new Reader();
    String got = "";
    try {
      RestHandlerInternals.parse(apart, request(uri, body), null).accept(null);
    } catch (Exception wrong) {
      got = wrong.toString();
    }

    assertThat(got).isEqualTo(expected);
    assertThat(apart.prepared).hasValue(1);
    assertThat(apart.carriedOut).hasValue(whole.carriedOut.get());
  }
}
