package dev.weir.bluegreen.dual;

import dev.weir.bluegreen.dual.RepairEntry.Cause;
import dev.weir.bluegreen.dual.RepairEntry.Op;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.DocWriteRequest;
import org.opensearch.action.bulk.BulkItemResponse;
import org.opensearch.action.delete.DeleteRequest;
import org.opensearch.action.index.IndexRequest;
import org.opensearch.cluster.metadata.DataStream;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.xcontent.MediaType;
import org.opensearch.index.VersionType;
import org.opensearch.index.seqno.SequenceNumbers;
import org.opensearch.ingest.IngestService;

/**
 * A write that the first cluster executed or may have executed, until its outcome on the other
 * cluster is known. Confined to its request's event loop.
 */
final class PendingWrite {
  private RepairEntry.Document document;
  private final Op op;
  private final boolean requireAlias;
  private long version;
  private boolean createOnly;
  private long replacedSeqNo = SequenceNumbers.UNASSIGNED_SEQ_NO;
  private long replacedPrimaryTerm = SequenceNumbers.UNASSIGNED_PRIMARY_TERM;
  private boolean deleted;
  private @Nullable BytesReference source;
  private @Nullable MediaType mediaType;
  private @Nullable DualWriteOutcome outcome;
  private @Nullable Cause cause;

  /**
   * Creates a write without an outcome.
   *
   * @param version assigned by the first cluster; 0 if unknown
   * @param requireAlias whether the client requires the name to be an alias
   */
  PendingWrite(RepairEntry.Document document, Op op, long version, boolean requireAlias) {
    this.document = document;
    this.op = op;
    this.version = version;
    this.requireAlias = requireAlias;
    this.deleted = op == Op.DELETE;
    this.createOnly = isBackingIndex(document.concreteIndex()) && !isBackingIndex(document.index());
  }

  /** Whether an index is named as the backing index of a data stream. */
  static boolean isBackingIndex(String name) {
    return name.toLowerCase(Locale.ROOT).startsWith(DataStream.BACKING_INDEX_PREFIX);
  }

  /**
   * Creates one entry for writes of documents with unknown ids, in one index or, with an empty
   * name, in any.
   */
  static PendingWrite ofUnidentified(String index, Cause cause) {
    PendingWrite write =
        new PendingWrite(new RepairEntry.Document(index, index, "", null), Op.UNKNOWN, 0, false);
    write.fail(DualWriteOutcome.UNKNOWN, cause);
    return write;
  }

  /** Whether the ids of its documents are unknown. */
  boolean isUnidentified() {
    return document.id().isEmpty();
  }

  RepairEntry.Document document() {
    return document;
  }

  Op op() {
    return op;
  }

  long version() {
    return version;
  }

  /** Whether the document's contents are known. */
  boolean hasContent() {
    return deleted || source != null;
  }

  /** Sets the document. */
  void setContent(BytesReference newSource, @Nullable MediaType newType, long newVersion) {
    source = newSource;
    mediaType = newType;
    version = newVersion;
  }

  /** Sets the document that was read, with its stored routing. */
  void setFoundRouting(@Nullable String routing) {
    document = document.withFoundRouting(routing);
  }

  /** Records that the document is deleted. */
  void markDeleted() {
    deleted = true;
    source = null;
  }

  /** Whether it deletes the document. */
  boolean isDelete() {
    return deleted;
  }

  /** The target accepts only creations. */
  void requireCreate() {
    createOnly = true;
  }

  /** Whether it is sent as a creation, which has no version. */
  boolean isCreate() {
    return createOnly && !deleted;
  }

  /**
   * Replaces the document of the target that has these numbers, and no other; it then gets a
   * version of the target's own.
   */
  void requireReplace(long seqNo, long primaryTerm) {
    replacedSeqNo = seqNo;
    replacedPrimaryTerm = primaryTerm;
  }

  /** Creates the request for the target. */
  DocWriteRequest<?> toRequest() {
    if (deleted) {
      return new DeleteRequest(document.index(), document.id())
          .routing(document.routing())
          .version(version)
          .versionType(VersionType.EXTERNAL_GTE);
    }
    IndexRequest request = new IndexRequest(document.index()).id(document.id());
    request.routing(document.routing());
    request.source(source, mediaType);
    request.setPipeline(IngestService.NOOP_PIPELINE_NAME); // the pipeline has run already
    request.setRequireAlias(requireAlias);
    if (createOnly) {
      return request.opType(DocWriteRequest.OpType.CREATE);
    }
    if (replacedSeqNo != SequenceNumbers.UNASSIGNED_SEQ_NO) {
      return request.setIfSeqNo(replacedSeqNo).setIfPrimaryTerm(replacedPrimaryTerm);
    }
    return request.version(version).versionType(VersionType.EXTERNAL_GTE);
  }

  /** Whether a rejection says that the target accepts only creations. */
  boolean requiresCreate(BulkItemResponse.Failure failure) {
    if (createOnly || deleted) {
      return false;
    }
    String message = String.valueOf(failure.getMessage());
    return message.contains("only write ops with an op_type of create are allowed")
        || message.contains("is not allowed with a custom document id");
  }

  /**
   * Whether a rejection says that the target is a backing index of a data stream, which accepts
   * only writes that name the document which they replace.
   */
  boolean requiresReplace(BulkItemResponse.Failure failure) {
    return !deleted
        && String.valueOf(failure.getMessage()).contains("targeting backing indices is disallowed");
  }

  @Nullable DualWriteOutcome outcome() {
    return outcome;
  }

  @Nullable Cause cause() {
    return cause;
  }

  /** Marks the write as complete in both clusters. */
  void succeed(DualWriteOutcome how) {
    outcome = how;
  }

  /** Marks the write for repair. */
  void fail(DualWriteOutcome how, Cause because) {
    outcome = how;
    cause = because;
  }

  /** Its entry for the repair log. */
  RepairEntry toRepairEntry(Instant time, DualWriteTarget target) {
    Cause because = cause == null ? Cause.ofGateway("unknown", "") : cause;
    if (isUnidentified()) {
      String path = document.index().isEmpty() ? "/_bulk" : "/" + document.index() + "/_bulk";
      return RepairEntry.RequestEntry.of(
          time, target.sourceCluster(), target.targetCluster(), "POST", path, because);
    }
    return new RepairEntry.DocumentEntry(
        time, target.sourceCluster(), target.targetCluster(), op, document, version, because);
  }
}
