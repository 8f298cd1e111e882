package dev.weir.node.codec;

import java.io.IOException;
import org.apache.lucene.codecs.CodecUtil;
import org.apache.lucene.index.CorruptIndexException;
import org.apache.lucene.index.IndexFileNames;
import org.apache.lucene.index.SegmentInfo;
import org.apache.lucene.store.ChecksumIndexInput;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexOutput;

/**
 * The file of a segment's dictionary.
 *
 * <p>Layout: Lucene's index header with the name {@value #CODEC}, a version, and the segment's id;
 * VInt compression level; VInt length of the dictionary, 0 for none; the dictionary as zstd's
 * trainer makes it; Lucene's footer with a checksum, which is verified when the segment is opened.
 */
final class DictionaryFile {
  /** The file's extension. */
  static final String EXTENSION = "wzd";

  private static final String CODEC = "WeirZstdDictionary";
  private static final int VERSION_START = 1;
  private static final int VERSION_CURRENT = VERSION_START;
  private static final int MAX_LEVEL = 22;
  private static final int MAX_DICTIONARY = 1024 * 1024;

  private DictionaryFile() {}

  private static String name(SegmentInfo segment) {
    return IndexFileNames.segmentFileName(segment.name, "", EXTENSION);
  }

  static void write(Directory directory, SegmentInfo segment, IOContext context, ZstdMode mode)
      throws IOException {
    try (IndexOutput out = directory.createOutput(name(segment), context)) {
      CodecUtil.writeIndexHeader(out, CODEC, VERSION_CURRENT, segment.getId(), "");
      out.writeVInt(mode.level());
      out.writeVInt(mode.dictionary().length);
      out.writeBytes(mode.dictionary(), mode.dictionary().length);
      CodecUtil.writeFooter(out);
    }
  }

  /**
   * Reads the file and verifies its checksum.
   *
   * @return the mode, which the caller releases
   * @throws CorruptIndexException if the file is not as it was written
   */
  static ZstdMode read(Directory directory, SegmentInfo segment) throws IOException {
    try (ChecksumIndexInput in = directory.openChecksumInput(name(segment))) {
      Throwable failure = null;
      int level = 0;
      byte[] dictionary = {};
      try {
        CodecUtil.checkIndexHeader(in, CODEC, VERSION_START, VERSION_CURRENT, segment.getId(), "");
        level = bounded(in, in.readVInt(), MAX_LEVEL);
        dictionary = new byte[bounded(in, in.readVInt(), MAX_DICTIONARY)];
        in.readBytes(dictionary, 0, dictionary.length);
      } catch (IOException | RuntimeException broken) {
        failure = broken;
      } finally {
        CodecUtil.checkFooter(in, failure);
      }
      return ZstdMode.acquire(level, dictionary);
    }
  }

  private static int bounded(ChecksumIndexInput in, int value, int max)
      throws CorruptIndexException {
    if (value < 0 || value > max) {
      throw new CorruptIndexException("got " + value + " (expected: 0 to " + max + ")", in);
    }
    return value;
  }
}
