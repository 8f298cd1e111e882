package dev.weir.bluegreen.dual;

import dev.weir.bluegreen.dual.RepairEntry.Op;
import dev.weir.bluegreen.dual.RepairEntry.Why;
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
  private boolean create;
  private boolean gone;
  private @Nullable BytesReference source;
  private @Nullable MediaType type;
  private @Nullable Outcome outcome;
  private @Nullable Why why;

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
    this.gone = op == Op.DELETE;
    this.create =
        document.concrete().toLowerCase(Locale.ROOT).startsWith(DataStream.BACKING_INDEX_PREFIX)
            && !document.concrete().equals(document.index());
  }

  /** Some that nobody knows the ids of, in an index or, by an empty name, in any. */
  static PendingWrite unnamed(String index, Why why) {
    PendingWrite write =
        new PendingWrite(new RepairEntry.Document(index, index, "", null), Op.UNKNOWN, 0, false);
    write.missed(Outcome.UNKNOWN, why);
    return write;
  }

  /** Whether its document's id is not known, nor which others it stands for. */
  boolean isUnnamed() {
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
  boolean isKnown() {
    return gone || source != null;
  }

  /** The document is this. */
  void becomes(BytesReference newSource, @Nullable MediaType newType, long newVersion) {
    source = newSource;
    type = newType;
    version = newVersion;
  }

  /** The document was found, with a routing of its own or none. */
  void found(@Nullable String routing) {
    document = document.found(routing);
  }

  /** The document is gone. */
  void isGone() {
    gone = true;
    source = null;
  }

  /** Whether the document is to be deleted. */
  boolean isDelete() {
    return gone;
  }

  /** Only what creates a document is taken there. */
  void mustCreate() {
    create = true;
  }

  /** Whether it goes there as what creates a document: it has no version then. */
  boolean creates() {
    return create && !gone;
  }

  /** What is sent. */
  DocWriteRequest<?> request() {
    if (gone) {
      return new DeleteRequest(document.index(), document.id())
          .routing(document.routing())
          .version(version)
          .versionType(VersionType.EXTERNAL_GTE);
    }
    IndexRequest request = new IndexRequest(document.index()).id(document.id());
    request.routing(document.routing());
    request.source(source, type);
    request.setPipeline(IngestService.NOOP_PIPELINE_NAME); // it went through one, if any
    request.setRequireAlias(requireAlias);
    if (create) {
      return request.opType(DocWriteRequest.OpType.CREATE);
    }
    return request.version(version).versionType(VersionType.EXTERNAL_GTE);
  }

  /** Whether a refusal says that only what creates a document is taken. */
  boolean wantsCreate(BulkItemResponse.Failure failure) {
    if (create || gone) {
      return false;
    }
    String message = String.valueOf(failure.getMessage());
    return message.contains("only write ops with an op_type of create are allowed")
        || message.contains("is not allowed with a custom document id");
  }

  @Nullable Outcome outcome() {
    return outcome;
  }

  @Nullable Why why() {
    return why;
  }

  /** It is in both clusters, as far as it concerns this write. */
  void done(Outcome how) {
    outcome = how;
  }

  /** It is to be repaired. */
  void missed(Outcome how, Why because) {
    outcome = how;
    why = because;
  }

  /** Its line in the repair log. */
  RepairEntry entry(Instant time, DualTarget target) {
    Why because = why == null ? Why.own("unknown", "") : why;
    if (isUnnamed()) {
      String path = document.index().isEmpty() ? "/_bulk" : "/" + document.index() + "/_bulk";
      return RepairEntry.OfRequest.of(time, target.from(), target.to(), "POST", path, because);
    }
    return new RepairEntry.OfDocument(
        time, target.from(), target.to(), op, document, version, because);
  }
}
