package dev.weir.bluegreen.compare;

import dev.weir.bluegreen.compare.IndexComparison.Side;
import dev.weir.bluegreen.dual.ClusterDocumentClient.DocumentAccessException;
import dev.weir.bluegreen.dual.ClusterDocumentClient.StoredDocument;
import dev.weir.bluegreen.dual.RepairEntry;
import dev.weir.bluegreen.dual.WorkerThreads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Reads documents that differ again, by id, so that a document counts as different only if it stays
 * so: until two looks in a row find the same difference, and at most a few times. Blocks; used by
 * one thread.
 */
final class DifferenceVerifier {
  private static final int MAX_LOOKS = 10;
  private static final int MAX_CONCURRENT_DOCUMENTS = 32;

  private final Side blue;
  private final Side green;
  private final Duration pause;

  /**
   * Creates a verifier.
   *
   * @param pause between two looks
   */
  DifferenceVerifier(Side blue, Side green, Duration pause) {
    this.blue = blue;
    this.green = green;
    this.pause = pause;
  }

  /**
   * The documents as they are now.
   *
   * @param settled were the same at two looks in a row
   * @param changing were different at each look, and in another way each time
   */
  record Verified(List<ComparedDocument> settled, List<ComparedDocument> changing) {}

  /** Looks at the documents again. */
  Verified verify(List<ComparedDocument> differing)
      throws DocumentAccessException, InterruptedException {
    List<ComparedDocument> settled = new ArrayList<>();
    List<ComparedDocument> open = differing;
    for (int look = 1; !open.isEmpty() && look <= MAX_LOOKS; look++) {
      if (look > 1) {
        Thread.sleep(pause);
      }
      List<ComparedDocument> now = lookAt(open);
      List<ComparedDocument> changing = new ArrayList<>();
      for (int i = 0; i < now.size(); i++) {
        ComparedDocument document = now.get(i);
        boolean isStable = look > 1 && isUnchanged(open.get(i), document);
        if (document.difference() == null || isStable) {
          settled.add(document);
        } else {
          changing.add(document);
        }
      }
      open = changing;
    }
    return new Verified(settled, open);
  }

  private static boolean isUnchanged(ComparedDocument before, ComparedDocument now) {
    return Objects.equals(before.inBlue(), now.inBlue())
        && Objects.equals(before.inGreen(), now.inGreen());
  }

  private List<ComparedDocument> lookAt(List<ComparedDocument> documents)
      throws DocumentAccessException, InterruptedException {
    ComparedDocument[] now = new ComparedDocument[documents.size()];
    AtomicInteger next = new AtomicInteger();
    AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
    List<Thread> workers = new ArrayList<>();
    for (int i = 0; i < Math.min(MAX_CONCURRENT_DOCUMENTS, now.length); i++) {
      workers.add(
          Thread.ofVirtual()
              .name("weir-compare-" + i)
              .start(() -> {
                for (int at = next.getAndIncrement();
                    at < now.length && failure.get() == null;
                    at = next.getAndIncrement()) {
                  try {
                    now[at] = lookAt(documents.get(at));
                  } catch (DocumentAccessException | RuntimeException e) {
                    failure.compareAndSet(null, e);
                  }
                }
              }));
    }
    WorkerThreads.join(workers);
    return switch (failure.get()) {
      case null -> List.of(now);
      case DocumentAccessException failed -> throw failed;
      case Exception other -> throw new IllegalStateException(other);
    };
  }

  private ComparedDocument lookAt(ComparedDocument document) throws DocumentAccessException {
    return new ComparedDocument(
        read(blue, document.inBlue(), document.any()),
        read(green, document.inGreen(), document.any()),
        document.any());
  }

  /**
   * Reads a document.
   *
   * @param before where it was; null if it was not there
   * @param elsewhere the document in the other cluster, or what is known of it
   */
  private static @Nullable DocumentFingerprint read(
      Side side, @Nullable DocumentFingerprint before, DocumentFingerprint elsewhere)
      throws DocumentAccessException {
    String index = before == null ? side.index() : before.index();
    RepairEntry.Document document =
        new RepairEntry.Document(index, elsewhere.index(), elsewhere.id(), elsewhere.routing());
    StoredDocument found = side.documents().findTarget(document);
    // a get finds what lies in the shard of the routing, whatever its own routing is
    return found == null || !Objects.equals(found.routing(), elsewhere.routing())
        ? null
        : new DocumentFingerprint(
            index,
            elsewhere.id(),
            elsewhere.routing(),
            found.version(),
            SourceHash.of(found.source()));
  }
}
