package dev.weir.node.ingest;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.ActionRequest;
import org.opensearch.action.ActionRequestValidationException;
import org.opensearch.action.CompositeIndicesRequest;
import org.opensearch.action.DocWriteRequest;
import org.opensearch.action.index.IndexRequest;
import org.opensearch.action.update.UpdateRequest;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.common.io.stream.StreamOutput;

/**
 * Items of a bulk whose pipelines are to run. On the wire, after the parent task: the number of
 * items as a vint, and each as {@link DocWriteRequest#writeDocumentRequest} writes it.
 *
 * <p>{@code UpdateRequest} writes its own id into its documents. In a bulk from a client they have
 * none, and a pipeline sees that: the id is taken away again.
 */
public final class RunPipelinesRequest extends ActionRequest implements CompositeIndicesRequest {
  private final List<DocWriteRequest<?>> items;

  /** Reads a request. */
  public RunPipelinesRequest(StreamInput in) throws IOException {
    super(in);
    int count = in.readVInt();
    items = new ArrayList<>();
    for (int left = count; left > 0; left--) {
      DocWriteRequest<?> item = DocWriteRequest.readDocumentRequest(null, in);
      if (item instanceof UpdateRequest update) {
        clearId(update.doc());
        clearId(update.upsertRequest());
      }
      items.add(item);
    }
  }

  private static void clearId(@Nullable IndexRequest document) {
    if (document != null) {
      document.id(null);
    }
  }

  /** Returns the items; the run changes them. */
  List<DocWriteRequest<?>> items() {
    return items;
  }

  /** Returns the memory that the items take, as {@code BulkRequest} counts it. */
  long ramBytesUsed() {
    return items.stream().mapToLong(DocWriteRequest::ramBytesUsed).sum();
  }

  @Override
  public @Nullable ActionRequestValidationException validate() {
    return null; // the gateway validated the bulk
  }

  @Override
  public void writeTo(StreamOutput out) throws IOException {
    super.writeTo(out);
    out.writeVInt(items.size());
    for (DocWriteRequest<?> item : items) {
      DocWriteRequest.writeDocumentRequest(out, item);
    }
  }

  @Override
  public String getDescription() {
    return "items[" + items.size() + "]";
  }
}
