package dev.weir.core.reduce.hits;

import dev.weir.model.JsonBuffer;
import dev.weir.model.ResponseBody;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.apache.lucene.util.BytesRef;
import org.jspecify.annotations.Nullable;

/**
 * Plain hits as a part of a response body, with commas in between. It creates the text around the
 * documents when the client takes it, and copies each document once, from its frame to the socket's
 * buffer.
 */
public final class PlainHitsBody implements ResponseBody {
  private static final BytesRef NONE = new BytesRef();

  private final Supplier<? extends HitJsonWriter> writers;
  private final long length;

  /** The writer that measured the hits, with their scores as JSON, until a reader takes it. */
  private final AtomicReference<@Nullable HitJsonWriter> measurer;

  /**
   * Creates the body.
   *
   * @param writers supplies a writer at the first hit, for each reader but the first
   */
  public PlainHitsBody(Supplier<? extends HitJsonWriter> writers) {
    this.writers = writers;
    HitJsonWriter measure = writers.get();
    long sum = 0;
    for (int i = 0; i < measure.count(); i++) {
      sum += measure.hitLength(i);
    }
    this.length = sum;
    this.measurer = new AtomicReference<>(measure);
  }

  @Override
  public long length() {
    return length;
  }

  @Override
  public Reader reader() {
    return new HitsReader();
  }

  private HitJsonWriter takeWriter() {
    HitJsonWriter measured = measurer.getAndSet(null);
    return measured == null ? writers.get() : measured;
  }

  /** Alternates text and documents: text, document, text, ..., text. */
  private final class HitsReader implements Reader {
    private final HitJsonWriter writer = takeWriter();
    private final JsonBuffer text = writer.writer();
    private int nextHit;
    private int textRead;
    private final BytesRef textRef = new BytesRef();
    private BytesRef document = NONE;
    private int documentRead;

    @Override
    public void read(ByteBuffer into) {
      while (into.hasRemaining()) {
        if (textRead < text.length()) {
          int count = Math.min(text.length() - textRead, into.remaining());
          into.put(text.bytes(), textRead, count);
          textRead += count;
        } else if (documentRead < document.length) {
          int count = Math.min(document.length - documentRead, into.remaining());
          into.put(document.bytes, document.offset + documentRead, count);
          documentRead += count;
        } else if (!advanceText()) {
          return;
        }
      }
    }

    private boolean advanceText() {
      if (nextHit > writer.count()) {
        return false;
      }
      text.truncate(0);
      textRead = 0;
      document = NONE;
      documentRead = 0;
      if (nextHit > 0) {
        writer.writeSuffix(nextHit - 1);
      }
      if (nextHit < writer.count()) {
        writer.writePrefix(nextHit);
        document = writer.locateDocument(nextHit, textRef) ? textRef : NONE;
      }
      nextHit++;
      return true;
    }
  }
}
