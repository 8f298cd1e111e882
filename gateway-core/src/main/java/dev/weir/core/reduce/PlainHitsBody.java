package dev.weir.core.reduce;

import dev.weir.core.reduce.json.PlainJson;
import dev.weir.model.ReplyBody;
import java.nio.ByteBuffer;
import java.util.function.Supplier;
import org.apache.lucene.util.BytesRef;

/**
 * Plain hits as a part of an answer, with commas in between: the text around the documents is made
 * when the client takes it, and each document is copied once, from where it lies to the socket's
 * buffer.
 */
final class PlainHitsBody implements ReplyBody {
  private static final BytesRef NONE = new BytesRef();

  private final Supplier<? extends HitText> writers;
  private final long length;

  /**
   * Makes it.
   *
   * @param writers gives one that starts at the first hit
   */
  PlainHitsBody(Supplier<? extends HitText> writers) {
    this.writers = writers;
    HitText measure = writers.get();
    long sum = 0;
    for (int i = 0; i < measure.count(); i++) {
      sum += measure.length(i);
    }
    this.length = sum;
  }

  @Override
  public long length() {
    return length;
  }

  @Override
  public Reader reader() {
    return new Hits();
  }

  /** Text, document, text, document, ..., text. */
  private final class Hits implements Reader {
    private final HitText writer = writers.get();
    private final PlainJson text = writer.json();
    private int next;
    private int textRead;
    private final BytesRef own = new BytesRef();
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
        } else if (!nextText()) {
          return;
        }
      }
    }

    private boolean nextText() {
      if (next > writer.count()) {
        return false;
      }
      text.cut(0);
      textRead = 0;
      document = NONE;
      documentRead = 0;
      if (next > 0) {
        writer.tail(next - 1);
      }
      if (next < writer.count()) {
        writer.head(next);
        document = writer.document(next, own) ? own : NONE;
      }
      next++;
      return true;
    }
  }
}
