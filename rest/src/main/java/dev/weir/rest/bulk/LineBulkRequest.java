package dev.weir.rest.bulk;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.ActionRequestValidationException;
import org.opensearch.action.DocWriteRequest;
import org.opensearch.action.bulk.BulkRequest;
import org.opensearch.core.common.io.stream.StreamOutput;

/**
 * An ordinary bulk whose documents become requests of their own only when something asks for them.
 * Until then {@link #lines} has them. Confined to its request's event loop.
 */
public final class LineBulkRequest extends BulkRequest {
  /** What OpenSearch adds to the size of each document. */
  private static final int REQUEST_OVERHEAD = 50;

  private @Nullable BulkLines lines;

  /** Creates a bulk of valid documents. */
  public LineBulkRequest(BulkLines documents) {
    this.lines = documents;
  }

  /** Returns the documents; null once they are requests, which may have changed since. */
  public @Nullable BulkLines lines() {
    return lines;
  }

  /** Visits the ids that the client named; lines stay lines. */
  public static void forEachId(BulkRequest bulk, Consumer<String> action) {
    BulkLines documents = bulk instanceof LineBulkRequest ordinary ? ordinary.lines : null;
    if (documents == null) {
      for (DocWriteRequest<?> request : bulk.requests()) {
        if (request.id() != null) {
          action.accept(request.id());
        }
      }
      return;
    }
    for (int document = 0; documents.hasIds() && document < documents.size(); document++) {
      action.accept(documents.id(document));
    }
  }

  private void createRequests() {
    BulkLines documents = lines;
    if (documents != null) {
      lines = null;
      for (int document = 0; document < documents.size(); document++) {
        add(documents.toRequest(document));
      }
    }
  }

  @Override
  public List<DocWriteRequest<?>> requests() {
    createRequests();
    return super.requests();
  }

  @Override
  public int numberOfActions() {
    BulkLines documents = lines;
    return documents == null ? super.numberOfActions() : documents.size();
  }

  @Override
  public long estimatedSizeInBytes() {
    BulkLines documents = lines;
    return documents == null
        ? super.estimatedSizeInBytes()
        : documents.sourceBytes() + (long) documents.size() * REQUEST_OVERHEAD;
  }

  @Override
  public Set<String> getIndices() {
    BulkLines documents = lines;
    return documents == null ? super.getIndices() : Set.of(documents.index());
  }

  /** Invalid documents never become lines. */
  @Override
  public @Nullable ActionRequestValidationException validate() {
    return lines == null ? super.validate() : null;
  }

  @Override
  public void writeTo(StreamOutput out) throws IOException {
    createRequests();
    super.writeTo(out);
  }

  @Override
  public String getDescription() {
    BulkLines documents = lines;
    return documents == null
        ? super.getDescription()
        : "requests[" + documents.size() + "], indices[" + documents.index() + "]";
  }

  @Override
  public long ramBytesUsed() {
    createRequests();
    return super.ramBytesUsed();
  }
}
