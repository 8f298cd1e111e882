package dev.weir.node.codec;

import com.github.luben.zstd.ZstdException;
import java.io.IOException;
import org.apache.lucene.codecs.compressing.Decompressor;
import org.apache.lucene.index.CorruptIndexException;
import org.apache.lucene.store.DataInput;
import org.apache.lucene.util.ArrayUtil;
import org.apache.lucene.util.BytesRef;

/**
 * Decompresses chunks of one segment. It holds nothing, so that Lucene may clone it for each
 * request and forget the clone: the native context is lent by {@link DecompressionContexts}.
 */
final class ZstdChunkDecompressor extends Decompressor {
  private final ZstdMode mode;

  ZstdChunkDecompressor(ZstdMode mode) {
    this.mode = mode;
  }

  @Override
  public void decompress(DataInput in, int originalLength, int offset, int length, BytesRef bytes)
      throws IOException {
    int size = in.readVInt();
    bytes.bytes = ArrayUtil.growNoCopy(bytes.bytes, originalLength);
    if (originalLength == 0) {
      if (size != 0) {
        throw new CorruptIndexException("got " + size + " bytes of an empty chunk", in);
      }
    } else {
      decompress(in, size, originalLength, bytes.bytes);
    }
    bytes.offset = offset;
    bytes.length = length;
  }

  private void decompress(DataInput in, int size, int originalLength, byte[] to)
      throws IOException {
    if (size <= 0 || size > ZstdChunkCompressor.maxSize(originalLength)) {
      throw new CorruptIndexException(
          "got a frame of " + size + " bytes for a chunk of " + originalLength, in);
    }
    DecompressionContexts.Context context = DecompressionContexts.borrow();
    try {
      byte[] frame = context.read(in, size);
      int got = context.decompress(mode, frame, size, to, originalLength);
      if (got != originalLength) {
        throw new CorruptIndexException(
            "got " + got + " bytes (expected: " + originalLength + ")", in);
      }
    } catch (ZstdException broken) {
      throw new CorruptIndexException("zstd: " + broken.getMessage(), in, broken);
    } finally {
      DecompressionContexts.giveBack(context);
    }
  }

  @Override
  public Decompressor clone() {
    return this;
  }
}
