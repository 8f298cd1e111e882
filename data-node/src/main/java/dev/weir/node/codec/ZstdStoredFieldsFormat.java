package dev.weir.node.codec;

import java.io.IOException;
import org.apache.lucene.codecs.StoredFieldsFormat;
import org.apache.lucene.codecs.StoredFieldsReader;
import org.apache.lucene.codecs.StoredFieldsWriter;
import org.apache.lucene.codecs.lucene90.compressing.Lucene90CompressingStoredFieldsFormat;
import org.apache.lucene.index.FieldInfos;
import org.apache.lucene.index.SegmentInfo;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.util.IOUtils;

/**
 * Stored fields in chunks that zstd compresses with the segment's dictionary.
 *
 * <p>Files of a segment: {@code .wzd}, the compression level and the dictionary ({@link
 * DictionaryFile}); {@code .fdt}, {@code .fdx} and {@code .fdm} as Lucene's {@link
 * Lucene90CompressingStoredFieldsFormat} writes them, with the format name {@value #FORMAT}. Each
 * file has a header with name and version, and a footer with a checksum. The size of the chunks is
 * in {@code .fdm}; readers take any.
 *
 * <p>A chunk, or a slice of a long one, is: VInt length, then one zstd frame of that length with a
 * checksum of its content, without content size and dictionary id; nothing follows the VInt 0 of an
 * empty slice. So a fetch from a broken chunk fails too, not only what verifies whole files.
 *
 * <p>One instance is used by all writers of a shard, on any thread.
 */
final class ZstdStoredFieldsFormat extends StoredFieldsFormat {
  /** The format's name in the headers of Lucene's files. */
  static final String FORMAT = "WeirZstdStoredFields";

  private static final int DEFAULT_LEVEL = 3;
  private static final int MAX_DOCUMENTS_PER_CHUNK = 1024;
  private static final int BLOCK_SHIFT = 10;

  private final ChunkSize chunkSize;
  private final int level;
  private final DictionaryChoice choice;

  /** The format of readers, and of writers that no index configures. */
  ZstdStoredFieldsFormat() {
    this(ChunkSize.SMALL, DEFAULT_LEVEL);
  }

  /**
   * The format of a shard's writers.
   *
   * @param level zstd's, 1 to 6
   */
  ZstdStoredFieldsFormat(ChunkSize chunkSize, int level) {
    this.chunkSize = chunkSize;
    this.level = level;
    this.choice = new DictionaryChoice(chunkSize.bytes(), level);
  }

  /** Returns Lucene's format for one dictionary. */
  private Lucene90CompressingStoredFieldsFormat chunks(ZstdMode mode) {
    return new Lucene90CompressingStoredFieldsFormat(
        FORMAT, mode, chunkSize.bytes(), MAX_DOCUMENTS_PER_CHUNK, BLOCK_SHIFT);
  }

  @Override
  public StoredFieldsReader fieldsReader(
      Directory directory, SegmentInfo segment, FieldInfos fields, IOContext context)
      throws IOException {
    ZstdMode mode = DictionaryFile.read(directory, segment);
    boolean opened = false;
    try {
      StoredFieldsReader reader =
          new ZstdStoredFieldsReader(
              chunks(mode).fieldsReader(directory, segment, fields, context), mode);
      opened = true;
      return reader;
    } finally {
      if (!opened) {
        mode.release();
      }
    }
  }

  @Override
  public StoredFieldsWriter fieldsWriter(
      Directory directory, SegmentInfo segment, IOContext context) {
    return new ZstdStoredFieldsWriter(
        choice, dictionary -> open(directory, segment, context, dictionary));
  }

  private ZstdStoredFieldsWriter.Chunks open(
      Directory directory, SegmentInfo segment, IOContext context, byte[] dictionary)
      throws IOException {
    ZstdMode mode = ZstdMode.acquire(level, dictionary);
    StoredFieldsWriter chunks = null;
    boolean opened = false;
    try {
      DictionaryFile.write(directory, segment, context, mode);
      chunks = chunks(mode).fieldsWriter(directory, segment, context);
      opened = true;
      return new ZstdStoredFieldsWriter.Chunks(chunks, mode);
    } finally {
      if (!opened) {
        IOUtils.closeWhileHandlingException(chunks);
        mode.release();
      }
    }
  }
}
