package dev.weir.advice.snapshot;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** A REST API at an address. Safe on any thread. */
public final class HttpApiReader implements ApiReader, AutoCloseable {
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

  /** A cluster of thousands of indices may take seconds to write its mappings. */
  private static final Duration RESPONSE_TIMEOUT = Duration.ofSeconds(60);

  /** 300,000 copies of shards, or the mappings of 10,000 indices. */
  private static final long MAX_RESPONSE_BYTES = 64L << 20;

  private static final int OK = 200;
  private static final int SHOWN_BYTES = 300;

  private final URI base;
  private final Map<String, String> headers;
  private final HttpClient client;

  /**
   * Creates it without asking anything.
   *
   * @param base such as {@code http://localhost:9200}
   * @param headers of each request, such as {@code Authorization}
   * @param tls which certificates to trust; null for those of the JDK
   */
  public HttpApiReader(URI base, Map<String, String> headers, @Nullable SSLContext tls) {
    this.base = base;
    this.headers = Map.copyOf(headers);
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECT_TIMEOUT);
    this.client = (tls == null ? builder : builder.sslContext(tls)).build();
  }

  @Override
  public InputStream get(String path) throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(base.resolve(path)).timeout(RESPONSE_TIMEOUT);
    headers.forEach(request::header);
    HttpResponse<InputStream> response;
    try {
      response = client.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
    } catch (IOException e) {
      throw new UnreachableException("no answer from " + base + ": " + describe(e), e);
    }
    if (response.statusCode() == OK) {
      return new BoundedStream(response.body());
    }
    try (InputStream body = response.body()) {
      throw new IOException(
          "got status "
              + response.statusCode()
              + " (expected: 200): "
              + new String(body.readNBytes(SHOWN_BYTES), StandardCharsets.UTF_8).strip());
    }
  }

  private static String describe(IOException failure) {
    return failure.getMessage() == null ? failure.getClass().getSimpleName() : failure.getMessage();
  }

  @Override
  public void close() {
    client.shutdownNow();
  }

  /** Fails after a number of bytes, so that no response fills the heap. */
  private static final class BoundedStream extends FilterInputStream {
    private long left = MAX_RESPONSE_BYTES;

    BoundedStream(InputStream stream) {
      super(stream);
    }

    @Override
    public int read() throws IOException {
      int read = super.read();
      count(read < 0 ? 0 : 1);
      return read;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      int read = super.read(target, offset, length);
      count(Math.max(0, read));
      return read;
    }

    private void count(int bytes) throws IOException {
      left -= bytes;
      if (left < 0) {
        throw new IOException("got a response of more than " + MAX_RESPONSE_BYTES + " bytes");
      }
    }
  }
}
