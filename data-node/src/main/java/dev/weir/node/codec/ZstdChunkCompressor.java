package dev.weir.node.codec;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdDictCompress;
import java.io.IOException;
import org.apache.lucene.codecs.compressing.Compressor;
import org.apache.lucene.store.ByteBuffersDataInput;
import org.apache.lucene.store.DataOutput;
import org.apache.lucene.util.ArrayUtil;
import org.jspecify.annotations.Nullable;

/**
 * Compresses the chunks of one segment. It holds a native context of about 1 MB until it is closed.
 * Confined to the segment's writer.
 */
final class ZstdChunkCompressor extends Compressor {
  private final ZstdCompressCtx context = new ZstdCompressCtx();
  private final @Nullable ZstdDictCompress dictionary;
  private byte[] raw = {};
  private byte[] compressed = {};

  ZstdChunkCompressor(int level, byte[] dictionaryBytes) {
    context.setLevel(level).setContentSize(false).setDictID(false).setChecksum(true);
    if (dictionaryBytes.length > 0) {
      dictionary = new ZstdDictCompress(dictionaryBytes, level);
      context.loadDict(dictionary);
    } else {
      dictionary = null;
    }
  }

  @Override
  public void compress(ByteBuffersDataInput in, DataOutput out) throws IOException {
    int length = Math.toIntExact(in.length() - in.position());
    raw = ArrayUtil.growNoCopy(raw, length);
    in.readBytes(raw, 0, length);
    int size = length == 0 ? 0 : compress(raw, 0, length);
    out.writeVInt(size);
    out.writeBytes(compressed, 0, size);
  }

  /** Compresses a part of an array; returns the size of the frame. */
  int compress(byte[] from, int offset, int length) {
    compressed = ArrayUtil.growNoCopy(compressed, maxSize(length));
    return context.compressByteArray(compressed, 0, compressed.length, from, offset, length);
  }

  /** Returns the size that no frame of so many bytes exceeds. */
  static int maxSize(int length) {
    return Math.toIntExact(Zstd.compressBound(length));
  }

  @Override
  public void close() {
    context.close();
    if (dictionary != null) {
      dictionary.close();
    }
  }
}
