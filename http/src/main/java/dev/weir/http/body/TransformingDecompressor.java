package dev.weir.http.body;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.codec.compression.Decompressor;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import org.jspecify.annotations.Nullable;

/** Decodes a body if it has a decoder, then transforms it. Owns both. */
public final class TransformingDecompressor implements Decompressor {
  private final @Nullable Decompressor decoder;
  private final BodyTransformer transformer;
  private final ByteBufAllocator allocator;
  private @Nullable ByteBuf pendingInput;

  /**
   * Creates a decompressor that transforms.
   *
   * @param headers loses its content length, which is unknown from now on
   */
  public static TransformingDecompressor of(
      @Nullable Decompressor decoder,
      BodyTransformer change,
      HttpHeaders headers,
      ByteBufAllocator allocator) {
    headers.remove(HttpHeaderNames.CONTENT_LENGTH);
    return new TransformingDecompressor(decoder, change, allocator);
  }

  TransformingDecompressor(
      @Nullable Decompressor decoder, BodyTransformer change, ByteBufAllocator allocator) {
    this.decoder = decoder;
    this.transformer = change;
    this.allocator = allocator;
  }

  @Override
  public Status status() {
    if (decoder != null) {
      return decoder.status();
    }
    return pendingInput == null ? Status.NEED_INPUT : Status.NEED_OUTPUT;
  }

  @Override
  public void addInput(ByteBuf input) {
    if (decoder == null) {
      pendingInput = input;
    } else {
      decoder.addInput(input);
    }
  }

  @Override
  public void endOfInput() {
    if (decoder != null) {
      decoder.endOfInput();
    }
  }

  @Override
  public ByteBuf takeOutput() {
    ByteBuf output = decoder == null ? pendingInput : decoder.takeOutput();
    pendingInput = null;
    if (output == null) {
      throw new IllegalStateException("got no input (expected: some before output is taken)");
    }
    return transform(transformer, output, allocator);
  }

  /**
   * Transforms a chunk; the result is the caller's.
   *
   * @param piece released by this method
   */
  static ByteBuf transform(BodyTransformer change, ByteBuf piece, ByteBufAllocator allocator) {
    ByteBuf changed = allocator.buffer(piece.readableBytes());
    try {
      change.transform(piece, changed);
      return changed;
    } catch (RuntimeException | Error failure) {
      changed.release();
      throw failure;
    } finally {
      piece.release();
    }
  }

  @Override
  public void close() {
    if (pendingInput != null) {
      pendingInput.release();
      pendingInput = null;
    }
    if (decoder != null) {
      decoder.close();
    }
  }
}
