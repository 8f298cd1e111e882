package dev.weir.node.codec;

import com.github.luben.zstd.ZstdDictDecompress;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.lucene.codecs.compressing.CompressionMode;
import org.apache.lucene.codecs.compressing.Compressor;
import org.apache.lucene.codecs.compressing.Decompressor;
import org.apache.lucene.util.BytesRef;
import org.jspecify.annotations.Nullable;

/**
 * zstd with one dictionary and level. All readers and writers of the node that have an equal
 * dictionary and level open share one instance: Lucene copies the chunks of a merged segment as
 * they are if, and only if, its mode is that of the segment being written, and the node holds the
 * dictionary once.
 *
 * <p>Memory: the dictionary on the heap, at most 32 KB; after the first fetch, its native form,
 * about 27 KB larger. The last {@link #release} frees the native form.
 *
 * <p>Safe for use by several threads.
 */
final class ZstdMode extends CompressionMode {
  private static final ConcurrentHashMap<Key, ZstdMode> OPEN = new ConcurrentHashMap<>();

  private final Key key;
  private int users;
  private @Nullable ZstdDictDecompress nativeDictionary;

  private record Key(int level, BytesRef dictionary) {}

  private ZstdMode(Key key) {
    this.key = key;
  }

  /**
   * Returns the mode, for one user more; {@link #release} ends this use.
   *
   * @param dictionary empty for none; not changed afterwards
   */
  static ZstdMode acquire(int level, byte[] dictionary) {
    return OPEN.compute(
        new Key(level, new BytesRef(dictionary)),
        (key, open) -> {
          ZstdMode mode = open == null ? new ZstdMode(key) : open;
          mode.users++;
          return mode;
        });
  }

  /** Ends one use; the last frees the native memory. */
  void release() {
    OPEN.compute(
        key,
        (same, open) -> {
          users--;
          if (users > 0) {
            return open;
          }
          close();
          return null;
        });
  }

  /** Returns how many dictionaries, none counting too, readers and writers of the node use. */
  static int open() {
    return OPEN.size();
  }

  private synchronized void close() {
    if (nativeDictionary != null) {
      nativeDictionary.close();
      nativeDictionary = null;
    }
  }

  /** Returns zstd's level. */
  int level() {
    return key.level;
  }

  /** Returns the dictionary, empty if there is none; not to be changed. */
  byte[] dictionary() {
    return key.dictionary.bytes;
  }

  /** Returns the dictionary as zstd decompresses with it, null if there is none. */
  synchronized @Nullable ZstdDictDecompress nativeDictionary() {
    if (nativeDictionary == null && dictionary().length > 0) {
      nativeDictionary = new ZstdDictDecompress(dictionary());
    }
    return nativeDictionary;
  }

  @Override
  public Compressor newCompressor() {
    return new ZstdChunkCompressor(level(), dictionary());
  }

  @Override
  public Decompressor newDecompressor() {
    return new ZstdChunkDecompressor(this);
  }

  @Override
  public String toString() {
    return "zstd, level " + level() + ", dictionary of " + dictionary().length + " bytes";
  }
}
