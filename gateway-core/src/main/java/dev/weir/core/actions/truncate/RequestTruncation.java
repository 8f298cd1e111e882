package dev.weir.core.actions.truncate;

import dev.weir.cluster.IndexNameResolver;
import dev.weir.config.policy.BulkPolicy;
import dev.weir.model.RequestContext;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.lucene.util.BytesRef;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.DocWriteRequest;
import org.opensearch.action.index.IndexRequest;
import org.opensearch.action.update.UpdateRequest;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.common.xcontent.XContentType;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.bytes.CompositeBytesReference;
import org.opensearch.core.xcontent.MediaType;

/**
 * Truncates the documents of one request and records what it truncated. Confined to the request's
 * event loop.
 */
public final class RequestTruncation {
  private static final int MAX_ITEMS_IN_WARNING = 50;

  private final KeywordTruncationService truncation;
  private final BulkPolicy.TruncateKeywords policy;
  private final BitSet items = new BitSet(0);

  /** The items whose values were left alone, each counted once although it may be planned again. */
  private final BitSet untruncatedItems = new BitSet(0);

  private int values;

  /**
   * Creates the truncation of a request.
   *
   * @param policy the indices to truncate in, by request names or concrete names, and what to
   *     truncate
   */
  RequestTruncation(KeywordTruncationService truncation, BulkPolicy.TruncateKeywords policy) {
    this.truncation = truncation;
    this.policy = policy;
  }

  /**
   * Truncates long values in the document of an item. The other bytes of a JSON document stay as
   * they are, and the other values of a document in another format. A document shorter than the
   * limit of a value costs nothing.
   *
   * @param slot the item's position, from 0
   * @param name the index name in the request
   */
  public void truncate(int slot, DocWriteRequest<?> request, String name, IndexMetadata index) {
    switch (request) {
      case IndexRequest document -> truncate(slot, document, name, index);
      case UpdateRequest update -> {
        truncate(slot, update.doc(), name, index);
        truncate(slot, update.upsertRequest(), name, index);
      }
      default -> {
        // a delete
      }
    }
  }

  /**
   * Returns whether documents of an index may be truncated.
   *
   * @param name the index name in the request
   */
  public boolean covers(String name, IndexMetadata index) {
    return IndexNameResolver.isMatch(policy.indices(), name, index.getIndex().getName());
  }

  private void truncate(
      int slot, @Nullable IndexRequest document, String name, IndexMetadata index) {
    BytesReference source = document == null ? null : document.source();
    if (document == null
        || source == null
        || source.length() <= ValueLimit.MAX_TERM_BYTES
        || !covers(name, index)) {
      return;
    }
    if (document.getContentType() != XContentType.JSON) {
      truncateEncoded(slot, document, truncation.fieldsOf(index.mapping()));
      return;
    }
    BytesRef bytes = source.toBytesRef();
    if (!KeywordTruncator.hasLongString(bytes.bytes, bytes.offset, bytes.length)) {
      return;
    }
    KeywordFields fields = truncation.fieldsOf(index.mapping());
    if (fields.isEmpty()) {
      return;
    }
    List<KeywordTruncator.RemovedBytes> cuts =
        KeywordTruncator.findRemovals(
            bytes, fields, policy.sharedValues(), reason -> recordUntruncated(slot, reason));
    if (!cuts.isEmpty()) {
      document.source(removeBytes(source, cuts), XContentType.JSON);
      values += cuts.size();
      items.set(slot);
    }
  }

  /** Truncates values of a document in CBOR, SMILE or YAML. */
  private void truncateEncoded(int slot, IndexRequest document, KeywordFields fields) {
    MediaType type = document.getContentType();
    if (fields.isEmpty() || type == null) {
      return;
    }
    EncodedDocumentTruncator.TruncatedDocument truncated =
        EncodedDocumentTruncator.truncate(
            document.source(),
            type,
            fields,
            policy.sharedValues(),
            reason -> recordUntruncated(slot, reason));
    if (truncated != null) {
      document.source(truncated.source(), type);
      values += truncated.values();
      items.set(slot);
    }
  }

  private void recordUntruncated(int slot, UntruncatedReason reason) {
    if (!untruncatedItems.get(slot)) {
      untruncatedItems.set(slot);
      truncation.recordUntruncated(reason);
    }
  }

  /** Returns the document without the ranges, without copying its bytes. */
  private static BytesReference removeBytes(
      BytesReference source, List<KeywordTruncator.RemovedBytes> cuts) {
    List<BytesReference> left = new ArrayList<>(cuts.size() + 1);
    int from = 0;
    for (KeywordTruncator.RemovedBytes cut : cuts) {
      left.add(source.slice(from, cut.from() - from));
      from = cut.to();
    }
    left.add(source.slice(from, source.length() - from));
    return CompositeBytesReference.of(left.toArray(new BytesReference[0]));
  }

  /**
   * Adds the response header about truncated values, and counts them; called before the response.
   */
  public void addWarnings(RequestContext context) {
    if (values == 0) {
      return;
    }
    String message =
        items.stream()
            .limit(MAX_ITEMS_IN_WARNING)
            .mapToObj(Integer::toString)
            .collect(Collectors.joining(",", values + "; items=", ""));
    boolean all = items.cardinality() <= MAX_ITEMS_IN_WARNING;
    context
        .response()
        .addHeaders(
            Map.of(RequestContext.TRUNCATED_HEADER, List.of(all ? message : message + ",...")));
    truncation.recordTruncation(values, items.cardinality());
    values = 0;
  }
}
