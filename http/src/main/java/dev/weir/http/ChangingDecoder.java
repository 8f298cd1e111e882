package dev.weir.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.codec.compression.Decompressor;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import org.jspecify.annotations.Nullable;

/** Changes a body behind its decoder, if it has one. Owns both. */
final class ChangingDecoder implements Decompressor {
  private final @Nullable Decompressor decoder;
  private final BodyChange change;
  private final ByteBufAllocator allocator;
  private @Nullable ByteBuf come;

  /**
   * Has a body changed, whose length is not known any more then.
   *
   * @param headers say no length afterwards
   */
  static ChangingDecoder of(
      @Nullable Decompressor decoder,
      BodyChange change,
      HttpHeaders headers,
      ByteBufAllocator allocator) {
    headers.remove(HttpHeaderNames.CONTENT_LENGTH);
    return new ChangingDecoder(decoder, change, allocator);
  }

  ChangingDecoder(@Nullable Decompressor decoder, BodyChange change, ByteBufAllocator allocator) {
    this.decoder = decoder;
    this.change = change;
    this.allocator = allocator;
  }

  @Override
  public Status status() {
    if (decoder != null) {
      return decoder.status();
    }
    return come == null ? Status.NEED_INPUT : Status.NEED_OUTPUT;
  }

  @Override
  public void addInput(ByteBuf input) {
    if (decoder == null) {
      come = input;
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
    ByteBuf output = decoder == null ? come : decoder.takeOutput();
    come = null;
    if (output == null) {
      throw new IllegalStateException("got no input (expected: some before output is taken)");
    }
    return changed(change, output, allocator);
  }

  /**
   * What a piece becomes; owned by the caller.
   *
   * @param piece is released
   */
  static ByteBuf changed(BodyChange change, ByteBuf piece, ByteBufAllocator allocator) {
    ByteBuf changed = allocator.buffer(piece.readableBytes());
    try {
      change.take(piece, changed);
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
    if (come != null) {
      come.release();
      come = null;
    }
    if (decoder != null) {
      decoder.close();
    }
  }
}
