package dev.weir.client;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A REST endpoint: the client port of a gateway or a node, or an admin port. Safe on any thread
 * that may block.
 *
 * @param connections are shared by several endpoints, and not closed here
 * @param base such as {@code http://127.0.0.1:9200}; it may have a path, which comes before that of
 *     each request
 * @param headers of each request, such as credentials
 */
public record RestTarget(RestConnections connections, URI base, Map<String, String> headers) {
  private static final int OK = 200;
  private static final int FIRST_FAILURE = 300;
  private static final int UNAUTHORIZED = 401;
  private static final int SHOWN_CHARACTERS = 500;

  /**
   * Asks nothing.
   *
   * @throws IllegalArgumentException if the address is not one of HTTP
   */
  public RestTarget {
    headers = Map.copyOf(headers);
    boolean isHttp = "http".equals(base.getScheme()) || "https".equals(base.getScheme());
    if (!isHttp || base.getHost() == null) {
      throw new IllegalArgumentException(
          "got the address " + base + " (expected: one such as http://localhost:9200)");
    }
  }

  /** Without the headers, which may be credentials. */
  @Override
  public String toString() {
    return "RestTarget[base=" + base + "]";
  }

  /** A whole response. */
  public record Response(int status, String body) {
    /** Returns whether the request succeeded. */
    public boolean isSuccess() {
      return status < FIRST_FAILURE;
    }

    /** Says why a request did not succeed: the status, the beginning of the body, what to do. */
    public String problem() {
      String text = body.strip();
      return "got status "
          + status
          + (status == UNAUTHORIZED
              ? " (expected: 200; give the name and password of a user who may do this, or for an"
                  + " admin port its token)"
              : " (expected: 200)")
          + (text.isEmpty() ? "" : ": ")
          + (text.length() <= SHOWN_CHARACTERS
              ? text
              : text.substring(0, SHOWN_CHARACTERS) + "...");
    }
  }

  /**
   * Sends a request and waits for its whole response, as long as the limits of the connections
   * allow.
   *
   * @param path with the query
   * @param json null for no body
   * @throws IOException without a whole response
   */
  public Response send(String method, String path, @Nullable String json)
      throws IOException, InterruptedException {
    HttpRequest.Builder request = request(path);
    if (json == null) {
      request.method(method, HttpRequest.BodyPublishers.noBody());
    } else {
      request
          .header("Content-Type", "application/json")
          .method(method, HttpRequest.BodyPublishers.ofString(json));
    }
    RestConnections.OpenResponse response = connections.send(request);
    return new Response(response.status(), read(response.body(), Integer.MAX_VALUE));
  }

  /**
   * Opens the response to a GET request. The caller closes it.
   *
   * @param path with the query, such as {@code /_cat/shards?format=json}
   * @throws UnreachableException if nothing answers at the address
   * @throws IOException for any status but 200, and for an answer that takes too long; the message
   *     says why
   */
  public InputStream get(String path) throws IOException, InterruptedException {
    RestConnections.OpenResponse response;
    try {
      response = connections.send(request(path));
    } catch (HttpConnectTimeoutException e) {
      throw unreachable(e);
    } catch (HttpTimeoutException e) {
      throw e; // this path is slow; others may not be
    } catch (IOException e) {
      throw unreachable(e);
    }
    if (response.status() == OK) {
      return response.body();
    }
    String body = read(response.body(), SHOWN_CHARACTERS + 1);
    throw new IOException(new Response(response.status(), body).problem());
  }

  private HttpRequest.Builder request(String path) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(base.toString().replaceFirst("/$", "") + path));
    headers.forEach(request::header);
    return request;
  }

  private static String read(InputStream stream, int maxBytes)
      throws IOException, InterruptedException {
    try (InputStream body = stream) {
      return new String(body.readNBytes(maxBytes), StandardCharsets.UTF_8);
    } catch (IOException e) {
      if (Thread.interrupted() || e.getCause() instanceof InterruptedException) {
        InterruptedException interrupted =
            new InterruptedException("interrupted within a response");
        interrupted.initCause(e);
        throw interrupted;
      }
      throw e;
    }
  }

  private UnreachableException unreachable(IOException cause) {
    return new UnreachableException("no answer from " + base + ": " + describe(cause), cause);
  }

  private static String describe(IOException failure) {
    return failure.getMessage() == null ? failure.getClass().getSimpleName() : failure.getMessage();
  }
}
