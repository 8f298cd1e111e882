package dev.weir.node.codec;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.lucene.codecs.StoredFieldsReader;
import org.apache.lucene.index.MergeState;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the dictionary of each new segment of one shard.
 *
 * <p>A new segment gets the dictionary that the shard trained last, as long as its first documents
 * gain by it about what others gained when it was trained; else a new one. Equal dictionaries make
 * merges copy chunks, and cost the node's memory once. A merged segment gets the dictionary that at
 * least half of its documents have already. Segments below {@value #MIN_BYTES} bytes have none: it
 * would be larger than what it saves.
 *
 * <p>Safe for use by several threads: writers of a shard may train at the same time, and the last
 * to end leaves its dictionary to the next.
 */
final class DictionaryChoice {
  /** The bytes of documents that a dictionary is trained and tested on; a writer keeps them. */
  static final int SAMPLE_BYTES = 256 * 1024;

  /** Below this, a segment has no dictionary. */
  static final int MIN_BYTES = 128 * 1024;

  /** How much less the last dictionary may gain before a new one is trained. */
  private static final double MAX_DRIFT = 1.05;

  private static final byte[] NONE = {};

  private final int blockSize;
  private final int level;
  private volatile @Nullable TrainedDictionary last;

  /**
   * Makes the choice of a shard, which has no dictionary yet.
   *
   * @param blockSize bytes of a chunk
   */
  DictionaryChoice(int blockSize, int level) {
    this.blockSize = blockSize;
    this.level = level;
  }

  /** Returns the dictionary for a segment that begins with these documents; empty for none. */
  byte[] choose(DocumentBuffer first) throws IOException {
    if (first.size() < MIN_BYTES) {
      return NONE;
    }
    DictionaryTrainer trainer = new DictionaryTrainer(first.blocks(blockSize, SAMPLE_BYTES), level);
    TrainedDictionary known = last;
    if (known != null && trainer.gain(known.bytes()) <= known.gain() * MAX_DRIFT) {
      return known.bytes();
    }
    TrainedDictionary trained = trainer.train();
    last = trained;
    return trained == null ? NONE : trained.bytes();
  }

  /** Returns the dictionary for a segment that is merged from others; empty for none. */
  byte[] choose(MergeState merge) throws IOException {
    ZstdMode common = commonMode(merge);
    return common == null ? choose(sample(merge)) : common.dictionary();
  }

  /** Returns the mode of at least half of the documents, if there is one with a dictionary. */
  private @Nullable ZstdMode commonMode(MergeState merge) {
    Map<ZstdMode, Long> documents = new HashMap<>();
    long all = 0;
    for (int i = 0; i < merge.storedFieldsReaders.length; i++) {
      all += merge.maxDocs[i];
      if (merge.storedFieldsReaders[i] instanceof ZstdStoredFieldsReader reader
          && reader.mode().level() == level
          && reader.mode().dictionary().length > 0) {
        documents.merge(reader.mode(), (long) merge.maxDocs[i], Long::sum);
      }
    }
    for (Map.Entry<ZstdMode, Long> mode : documents.entrySet()) {
      if (mode.getValue() * 2 >= all) {
        return mode.getKey();
      }
    }
    return null;
  }

  /** Reads documents of a merge in blocks at even distances. */
  private DocumentBuffer sample(MergeState merge) throws IOException {
    long all = 0;
    for (int count : merge.maxDocs) {
      all += count;
    }
    List<Long> starts = new ArrayList<>();
    int blocks = SAMPLE_BYTES / blockSize;
    for (int block = 0; block < blocks; block++) {
      starts.add(all * block / blocks);
    }
    DocumentBuffer sample = new DocumentBuffer();
    long next = 0;
    for (int block = 0; block < blocks; block++) {
      next = Math.max(next, starts.get(block));
      long enough = (long) blockSize * (block + 1);
      while (next < all && sample.size() < enough) {
        read(merge, next, sample);
        next++;
      }
    }
    return sample;
  }

  private static void read(MergeState merge, long document, DocumentBuffer sample)
      throws IOException {
    long left = document;
    int reader = 0;
    while (left >= merge.maxDocs[reader]) {
      left -= merge.maxDocs[reader];
      reader++;
    }
    StoredFieldsReader fields = merge.storedFieldsReaders[reader];
    if (fields != null) {
      fields.document((int) left, sample);
      sample.endDocument();
    }
  }
}
