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
import org.opensearch.ingest.IngestService;

/**
 * A write that the first cluster has done, or may have done, until it is known what became of it on
 * the other one. Confined to its request's home.
 */
final class PendingWrite {
  private RepairEntry.Document document;
  private final Op op;
  private final boolean requireAlias;
  private long version;
  private boolean createOnly;
  private boolean deleted;
  private @Nullable BytesReference source;
  private @Nullable MediaType mediaType;
  private @Nullable DualWriteOutcome outcome;
  private @Nullable Cause cause;

  /**
   * Makes one of which nothing is known on the other cluster.
   *
   * @param version by the first cluster; 0 where it is not known
   * @param requireAlias whether the client insists that the name is an alias
   */
  PendingWrite(RepairEntry.Document document, Op op, long version, boolean requireAlias) {
    this.document = document;
    this.op = op;
    this.version = version;
    this.requireAlias = requireAlias;
    this.deleted = op == Op.DELETE;
    this.createOnly =
        document
                .concreteIndex()
                .toLowerCase(Locale.ROOT)
                .startsWith(DataStream.BACKING_INDEX_PREFIX)
            && !document.concreteIndex().equals(document.index());
  }

  /** Some that nobody knows the ids of, in an index or, by an empty name, in any. */
  static PendingWrite ofUnidentified(String index, Cause why) {
    PendingWrite write =
        new PendingWrite(new RepairEntry.Document(index, index, "", null), Op.UNKNOWN, 0, false);
    write.fail(DualWriteOutcome.UNKNOWN, why);
    return write;
  }

  /** Whether its document's id is not known, nor which others it stands for. */
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

  /** Whether it is known what is to be written. */
  boolean hasContent() {
    return deleted || source != null;
  }

  /** The document is this. */
  void setContent(BytesReference newSource, @Nullable MediaType newType, long newVersion) {
    source = newSource;
    mediaType = newType;
    version = newVersion;
  }

  /** The document was found, with a routing of its own or none. */
  void setFoundRouting(@Nullable String routing) {
    document = document.withFoundRouting(routing);
  }

  /** The document is gone. */
  void markDeleted() {
    deleted = true;
    source = null;
  }

  /** Whether the document is to be deleted. */
  boolean isDelete() {
    return deleted;
  }

  /** Only what creates a document is taken there. */
  void requireCreate() {
    createOnly = true;
  }

  /** Whether it goes there as what creates a document: it has no version then. */
  boolean isCreate() {
    return createOnly && !deleted;
  }

  /** What is sent. */
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
    request.setPipeline(IngestService.NOOP_PIPELINE_NAME); // it went through one, if any
    request.setRequireAlias(requireAlias);
    if (createOnly) {
      return request.opType(DocWriteRequest.OpType.CREATE);
    }
    return request.version(version).versionType(VersionType.EXTERNAL_GTE);
  }

  /** Whether a refusal says that only what creates a document is taken. */
  boolean requiresCreate(BulkItemResponse.Failure failure) {
    if (createOnly || deleted) {
      return false;
    }
    String message = String.valueOf(failure.getMessage());
    return message.contains("only write ops with an op_type of create are allowed")
        || message.contains("is not allowed with a custom document id");
  }

  @Nullable DualWriteOutcome outcome() {
    return outcome;
  }

  @Nullable Cause cause() {
    return cause;
  }

  /** It is in both clusters, as far as it concerns this write. */
  void succeed(DualWriteOutcome how) {
    outcome = how;
  }

  /** It is to be repaired. */
  void fail(DualWriteOutcome how, Cause because) {
    outcome = how;
    cause = because;
  }

  /** Its line in the repair log. */
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
