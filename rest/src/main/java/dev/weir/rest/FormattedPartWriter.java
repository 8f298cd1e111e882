package dev.weir.rest;

import java.io.IOException;
import org.opensearch.action.search.MultiSearchResponse;
import org.opensearch.rest.RestRequest;

/**
 * Writes the parts of a multi-search in a format of the gateway's own as soon as each is done. A
 * response that the format cannot show becomes a failure in its place. Confined to the request's
 * event loop.
 */
final class FormattedPartWriter implements MultiSearchPartSink {
  private final MultiSearchResponseFormat format;
  private final RestRequest request;
  private final RestExchange exchange;

  FormattedPartWriter(
      MultiSearchResponseFormat format, RestRequest request, RestExchange exchange) {
    this.format = format;
    this.request = request;
    this.exchange = exchange;
  }

  @Override
  public void write(int part, MultiSearchResponse.Item item) throws IOException {
    if (exchange.isClosed()) {
      return;
    }
    try {
      writeOnce(part, item);
    } catch (IllegalArgumentException unsupported) {
      if (item.isFailure()) {
        throw unsupported;
      }
      writeOnce(part, new MultiSearchResponse.Item(null, unsupported));
    }
  }

  private void writeOnce(int part, MultiSearchResponse.Item item) throws IOException {
    ResponsePartOutputs outputs = exchange.newPartOutputs();
    boolean written = false;
    try {
      format.writePart(part, item, request, outputs);
      written = true;
    } finally {
      if (!written) {
        outputs.close();
      }
    }
  }

  @Override
  public MultiSearchResponse toResponse(long tookMillis) {
    return new MultiSearchResponse(new MultiSearchResponse.Item[0], tookMillis);
  }
}
