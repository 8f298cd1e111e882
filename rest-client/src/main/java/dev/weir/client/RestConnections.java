package dev.weir.client;

import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;

/**
 * The connections to some REST endpoints, which are kept open between requests. Safe on any thread
 * that may block.
 */
public final class RestConnections implements AutoCloseable {
  private final HttpClient client;
  private final Limits limits;

  /**
   * Bounds of each request.
   *
   * @param connectTimeout of a connection, with its TLS handshake
   * @param responseTimeout from the request to the last byte of the response
   * @param maxResponseBytes of a body, as it is sent
   */
  public record Limits(Duration connectTimeout, Duration responseTimeout, long maxResponseBytes) {
    /**
     * A cluster of thousands of indices takes seconds to write its mappings. 64 MB are 300,000
     * copies of shards, or the mappings of 10,000 indices.
     */
    public static final Limits STANDARD =
        new Limits(Duration.ofSeconds(5), Duration.ofSeconds(60), 64L << 20);
  }

  /** A response whose body still arrives; the reader closes it. */
  record OpenResponse(int status, InputStream body) {}

  /** Opens no connection yet; trusts the authorities of the JDK. */
  public RestConnections() {
    this(null, Limits.STANDARD);
  }

  /**
   * Opens no connection yet.
   *
   * @param tls which certificates to trust; null for the authorities of the JDK
   */
  public RestConnections(@Nullable SSLContext tls, Limits limits) {
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(limits.connectTimeout());
    this.client = (tls == null ? builder : builder.sslContext(tls)).build();
    this.limits = limits;
  }

  /**
   * Opens no connection yet.
   *
   * @param authorities a PEM file with the authorities to trust; null for those of the JDK
   * @throws IOException if the file can't be read
   * @throws CertificateException if it has no certificates; the message says what is expected
   */
  public static RestConnections trusting(@Nullable Path authorities)
      throws IOException, CertificateException {
    return new RestConnections(
        authorities == null ? null : TrustedAuthorities.read(authorities), Limits.STANDARD);
  }

  /**
   * Sends a request and waits for the head of its response. Reading the body fails at the end of
   * {@link Limits#responseTimeout}, or beyond {@link Limits#maxResponseBytes}.
   */
  OpenResponse send(HttpRequest.Builder request) throws IOException, InterruptedException {
    long end = System.nanoTime() + limits.responseTimeout().toNanos();
    HttpResponse<InputStream> response;
    try {
      response =
          client.send(
              request.timeout(limits.responseTimeout()).build(),
              HttpResponse.BodyHandlers.ofInputStream());
    } catch (IOException e) {
      throw explain(e);
    }
    long leftNanos = Math.max(TimeUnit.MILLISECONDS.toNanos(1), end - System.nanoTime());
    return new OpenResponse(
        response.statusCode(), new BoundedStream(response.body(), limits, leftNanos));
  }

  private static IOException explain(IOException failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof CertPathBuilderException
          || cause instanceof CertPathValidatorException) {
        SSLHandshakeException explained =
            new SSLHandshakeException(
                cause.getMessage()
                    + ": none of the trusted authorities signed the certificate; name the PEM file"
                    + " of the one that did (--ca-file, or rest-tls.ca-file of the configuration)");
        explained.initCause(failure);
        return explained;
      }
    }
    return failure;
  }

  /** Ends all requests. */
  @Override
  public void close() {
    client.shutdownNow();
  }
}
