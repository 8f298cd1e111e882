package dev.weir.rest;

import dev.weir.model.BufferedResponse;
import dev.weir.model.NodeRequestRules;
import dev.weir.rest.warnings.WarningHeaderLimiter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.opensearch.OpenSearchException;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.common.io.stream.ReleasableBytesStreamOutput;
import org.opensearch.common.lease.Releasable;
import org.opensearch.common.util.BigArrays;
import org.opensearch.core.rest.RestStatus;
import org.opensearch.rest.AbstractRestChannel;
import org.opensearch.rest.BytesRestResponse;
import org.opensearch.rest.RestRequest;
import org.opensearch.rest.RestResponse;
import org.opensearch.tasks.Task;

/**
 * Writes a REST handler's response into recycled pages and passes these to the exchange without a
 * copy. Adds the headers that a node adds, except the version, which depends on the nodes.
 */
final class ExchangeRestChannel extends AbstractRestChannel {
  private static final String RETRY_AFTER = "Retry-After";
  private static final int FIRST_ERROR = 400;

  private final RestExchange exchange;
  private final BigArrays pages;
  private final NodeRequestRules.Limits limits;
  private boolean bodyStarted;

  /**
   * Creates the channel of a request.
   *
   * @throws IllegalArgumentException if {@code pretty}, {@code human} or {@code error_trace} is no
   *     boolean
   */
  ExchangeRestChannel(
      RestRequest request, RestExchange exchange, BigArrays pages, NodeRequestRules nodeRules) {
    super(request, nodeRules.hasDetailedErrors());
    this.limits = nodeRules.limits();
    this.exchange = exchange;
    this.pages = pages;
  }

  @Override
  protected BytesStreamOutput newBytesOutput() {
    if (exchange.isClosed() || bodyStarted) {
      // A response that nobody reads must not hold a page after its release. A second response
      // replaces one that failed, for example because it was too large.
      return new BytesStreamOutput();
    }
    bodyStarted = true;
    RestResponseOutput output = new RestResponseOutput(pages);
    exchange.onEnd(output::close);
    return output;
  }

  /** Opens an output for a part of the response. */
  BytesStreamOutput newPartOutput(int expectedBytes) {
    if (exchange.isClosed()) {
      return new BytesStreamOutput(expectedBytes);
    }
    bodyStarted = true;
    ReleasableBytesStreamOutput output = new ReleasableBytesStreamOutput(expectedBytes, pages);
    exchange.onEnd(output::close);
    return output;
  }

  /** Returns an empty set of outputs for one part of the response; they close with the request. */
  ResponsePartOutputs newPartOutputs() {
    ResponsePartOutputs outputs = new ResponsePartOutputs(pages);
    exchange.onEnd(outputs::close);
    return outputs;
  }

  /** Creates the writer of a multi-search's parts; null if the format needs the whole response. */
  @Nullable MultiSearchPartWriter newPartWriter(RestRequest searches, int parts) {
    MultiSearchPartWriter writer = MultiSearchPartWriter.create(searches, pages, parts);
    if (writer != null) {
      exchange.onEnd(writer::close);
    }
    return writer;
  }

  @Override
  public void sendResponse(RestResponse response) {
    if (response.content() instanceof Releasable releasable) {
      exchange.onEnd(releasable::close);
    }
    if (exchange.isClosed()) {
      return;
    }
    if (response.status().getStatus() >= FIRST_ERROR && exchange.isUnauthorized()) {
      exchange.passThrough(PassThroughReasons.SECURITY_DENIED);
      return;
    }
    exchange.respond(
        new BufferedResponse(
            response.status().getStatus(),
            response.contentType(),
            headers(response),
            RestResponseOutput.body(response.content()),
            exchange::onReleased));
  }

  /** Responds with a failure that no handler caught. */
  void sendFailure(Throwable failure) {
    try {
      Exception exception = failure instanceof Exception e ? e : new OpenSearchException(failure);
      sendResponse(new BytesRestResponse(this, exception));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private List<Map.Entry<String, String>> headers(RestResponse response) {
    List<Map.Entry<String, String>> headers = new ArrayList<>(4);
    copyRequestHeader(Task.X_OPAQUE_ID, headers);
    copyRequestHeader(Task.X_REQUEST_ID, headers);
    addAll(response.getHeaders(), headers);
    addAll(exchange.threadContext().getResponseHeaders(), headers);
    if (response.status() != RestStatus.TOO_MANY_REQUESTS) {
      headers.removeIf(header -> header.getKey().equals(RETRY_AFTER)); // concerns only one item
    } else if (exchange.isRetryable()
        && headers.stream().noneMatch(header -> header.getKey().equals(RETRY_AFTER))) {
      headers.add(Map.entry(RETRY_AFTER, "1"));
    }
    return headers;
  }

  private void copyRequestHeader(String name, List<Map.Entry<String, String>> headers) {
    String value = request.header(name);
    if (value != null) {
      headers.add(Map.entry(name, value));
    }
  }

  private void addAll(Map<String, List<String>> from, List<Map.Entry<String, String>> headers) {
    if (from != null) {
      from.forEach((name, values) -> {
        boolean warns = name.equals(WarningHeaderLimiter.HEADER);
        (warns ? WarningHeaderLimiter.limit(values, limits) : values)
            .forEach(value -> headers.add(Map.entry(name, value)));
      });
    }
  }
}
