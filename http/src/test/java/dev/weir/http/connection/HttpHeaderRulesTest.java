package dev.weir.http.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.BufferedResponse;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HttpHeaderRulesTest {

  private static HttpRequest request(HttpVersion version, String... headers) {
    HttpRequest request = new DefaultHttpRequest(version, HttpMethod.GET, "/");
    for (int i = 0; i < headers.length; i += 2) {
      request.headers().add(headers[i], headers[i + 1]);
    }
    return request;
  }

  @ParameterizedTest
  @CsvSource({
    "HTTP/1.1,,false",
    "HTTP/1.1,close,true",
    "HTTP/1.1,CLOSE,true",
    "HTTP/1.1,'close, TE',false",
    "HTTP/1.0,,true",
    "HTTP/1.0,Keep-Alive,false",
    "HTTP/1.0,close,true",
    "HTTP/3.7,keep-alive,true",
  })
  void closesWhenANodeWould(String version, String connection, boolean expected) {
    HttpRequest request = request(HttpVersion.valueOf(version));
    if (connection != null) {
      request.headers().set("Connection", connection);
    }
    assertThat(HttpHeaderRules.shouldCloseConnection(request)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "/a?pretty,true",
    "/a?pretty=true,true",
    "/a?x=y&pretty=,true",
    "/a?x=y;pretty,true",
    "/a?pretty;x,true",
    "/a?pretty=false,false",
    "/pretty,false",
    "/a?ugly,false",
  })
  void findsPretty(String uri, boolean expected) {
    assertThat(HttpHeaderRules.isPretty(uri)).isEqualTo(expected);
  }

  @Test
  void doesNotRepeatHeadersThatTheReplyHas() {
    HttpRequest request = request(HttpVersion.HTTP_1_1, "x-opaque-id", "me", "X-Request-Id", "r");
    BufferedResponse reply =
        new BufferedResponse(
            200,
            "",
            List.of(Map.entry("X-Opaque-Id", "me"), Map.entry("x-opensearch-version", "node")),
            List.of(),
            () -> {});
    assertThat(HttpHeaderRules.responseHeaders(request, reply, "own").entries())
        .extracting(header -> header.getKey() + ": " + header.getValue())
        .containsExactly("X-Request-Id: r", "X-Opaque-Id: me", "x-opensearch-version: node");
  }
}
