package dev.weir.rest;

import dev.weir.model.LazySearchResponse;
import dev.weir.model.ResponseBody;
import dev.weir.model.SpliceableOutput;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.MultiSearchResponse;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.common.lease.Releasable;
import org.opensearch.common.util.BigArrays;
import org.opensearch.common.xcontent.XContentType;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.BytesStream;
import org.opensearch.core.xcontent.ToXContent;
import org.opensearch.core.xcontent.XContentBuilder;
import org.opensearch.rest.AbstractRestChannel;
import org.opensearch.rest.RestRequest;
import org.opensearch.rest.RestResponse;

/**
 * Writes the parts of a multi-search as soon as each is done, in any order, with OpenSearch's own
 * code. Afterwards only the written bytes of a part are kept, and not its aggregations as objects.
 * The whole response consists of these bytes in the order of the requests; it is sent when all
 * parts are done, because {@code took} and the headers of all parts come first.
 *
 * <p>Serves JSON that is neither pretty-printed nor filtered. The pages count against the request's
 * memory. Confined to the request's event loop.
 */
final class MultiSearchPartWriter implements MultiSearchPartSink, Releasable {
  private static final int PREFIX_BYTES = "{\"took\":0,\"responses\":[".length();
  private static final int SUFFIX_BYTES = "]}".length();

  private final RestRequest request;
  private final PartsOutput output;
  private final PartsChannel channel;

  /** By part: the offsets of its first byte, and of the byte after its last. */
  private final int[] from;

  private final int[] to;

  private MultiSearchPartWriter(RestRequest request, BigArrays pages, int parts) {
    this.request = request;
    this.output = new PartsOutput(pages);
    this.channel = new PartsChannel(request, output);
    this.from = new int[parts];
    this.to = new int[parts];
  }

  /** Creates a writer; null if the response's format does not consist of its parts' bytes. */
  static @Nullable MultiSearchPartWriter create(RestRequest request, BigArrays pages, int parts) {
    if (request.param("filter_path") != null || request.param("pretty") != null) {
      return null;
    }
    MultiSearchPartWriter writer = new MultiSearchPartWriter(request, pages, parts);
    if (writer.isPlainJson()) {
      return writer;
    }
    writer.close();
    return null;
  }

  private boolean isPlainJson() {
    try (XContentBuilder builder = channel.newBuilder()) {
      builder.startObject().endObject(); // YAML has no empty document
      return builder.contentType() == XContentType.JSON && !builder.isPrettyPrint();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      output.truncate(0);
    }
  }

  @Override
  public void write(int part, MultiSearchResponse.Item item) throws IOException {
    if (output.isClosed()) {
      return;
    }
    int start = output.size();
    boolean written = false;
    // other hits are objects, which are released after this call
    output.splicing =
        item.getResponse() instanceof LazySearchResponse lazy && lazy.zeroCopyHits() != null;
    try (XContentBuilder builder = channel.newBuilder()) {
      new MultiSearchResponse(new MultiSearchResponse.Item[] {item}, 0)
          .toXContent(builder, request);
      builder.flush();
      from[part] = start + PREFIX_BYTES;
      to[part] = output.size() - SUFFIX_BYTES;
      written = true;
    } finally {
      if (!written) {
        output.truncate(start);
      }
    }
  }

  @Override
  public MultiSearchResponse toResponse(long tookMillis) {
    return new WrittenResponse(tookMillis);
  }

  private ResponseBody body() {
    List<ResponseBody> parts = new ArrayList<>(2 * from.length);
    ResponseBody comma =
        ResponseBody.of(List.of(ByteBuffer.wrap(",".getBytes(StandardCharsets.US_ASCII))));
    for (int part = 0; part < from.length; part++) {
      if (part > 0) {
        parts.add(comma);
      }
      parts.add(output.body(from[part], to[part]));
    }
    return ResponseBody.of(parts.toArray(new ResponseBody[0]));
  }

  @Override
  public void close() {
    output.close();
  }

  /** The response, whose parts are bytes. */
  private final class WrittenResponse extends MultiSearchResponse {
    WrittenResponse(long tookMillis) {
      super(new Item[0], tookMillis);
    }

    @Override
    public XContentBuilder toXContent(XContentBuilder builder, ToXContent.Params params)
        throws IOException {
      builder.startObject();
      builder.field("took", getTook().millis());
      builder.startArray("responses");
      builder.flush();
      OutputStream out = builder.getOutputStream();
      if (out instanceof BytesStream stream && stream.bytes() instanceof SpliceableOutput whole) {
        whole.splice(body());
      } else {
        out.write(body().toByteArray());
      }
      return builder.endArray().endObject();
    }
  }

  /** The pages of all parts, in the order in which they were written. */
  private static final class PartsOutput extends RestResponseOutput {
    private boolean splicing;

    PartsOutput(BigArrays pages) {
      super(pages);
    }

    /** Keeps the parts that are written already. */
    @Override
    public void reset() {}

    @Override
    public BytesReference bytes() {
      return splicing ? super.bytes() : pages();
    }
  }

  /** Creates the builders of parts, with the options of the request. */
  private static final class PartsChannel extends AbstractRestChannel {
    private final PartsOutput output;

    PartsChannel(RestRequest request, PartsOutput output) {
      super(request, true);
      this.output = output;
    }

    @Override
    protected BytesStreamOutput newBytesOutput() {
      return output;
    }

    @Override
    public void sendResponse(RestResponse response) {
      throw new UnsupportedOperationException(
          "got a response (expected: parts alone, which the request's channel sends)");
    }
  }
}
