package dev.weir.rest;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.weir.model.SectionedBody;
import dev.weir.rest.bulk.BulkSectionSplitter;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A body in sections that the test scripts, including its end. */
final class FakeSectionedBody implements SectionedBody {
  /** A section, and whether it was released. */
  static final class Part implements Section {
    private final byte[] bytes;
    private final BulkSectionSplitter cutter = new BulkSectionSplitter();
    private int given;
    private boolean abandoned;

    Part(String text) {
      bytes = text.getBytes(UTF_8);
      cutter.scan(bytes, bytes.length);
    }

    @Override
    public ByteBuffer bytes() {
      return ByteBuffer.wrap(bytes);
    }

    @Override
    public int items() {
      return cutter.items();
    }

    @Override
    public int lines() {
      return cutter.lines();
    }

    @Override
    public void release() {
      given++;
    }

    @Override
    public void leaveToGarbageCollector() {
      given++;
      abandoned = true;
    }

    boolean isAbandoned() {
      return abandoned;
    }
  }

  private final List<Part> parts = new ArrayList<>();
  private final ArrayDeque<Part> left = new ArrayDeque<>();
  private final ArrayDeque<Runnable> later = new ArrayDeque<>();
  private @Nullable Listener reader;
  private boolean wanted;
  private boolean ended;

  FakeSectionedBody(String... texts) {
    for (String text : texts) {
      parts.add(new Part(text));
    }
    left.addAll(parts.subList(1, parts.size()));
  }

  /** Returns a section as created. */
  Part part(int number) {
    return parts.get(number);
  }

  /** Returns whether the first section was completed before more was requested. */
  boolean isStarted() {
    return reader != null;
  }

  /** Returns whether a section is requested that has not arrived. */
  boolean isWanted() {
    return wanted;
  }

  /** Returns the number of unreleased sections; each may be released once. */
  long held() {
    long held = 0;
    for (Part part : parts) {
      if (part.given > 1) {
        throw new AssertionError("got a section back " + part.given + " times (expected: once)");
      }
      held += part.given == 0 && !left.contains(part) ? 1 : 0;
    }
    return held;
  }

  Listener reader() {
    if (reader == null) {
      throw new AssertionError("got no reader (expected: started)");
    }
    return reader;
  }

  /** Delivers one more section. */
  void add(String text) {
    Part part = new Part(text);
    parts.add(part);
    left.add(part);
    tell();
  }

  /** Ends the body. */
  FakeSectionedBody ended() {
    ended = true;
    tell();
    return this;
  }

  @Override
  public Section firstSection() {
    return parts.getFirst();
  }

  @Override
  public void start(Listener by) {
    reader = by;
  }

  @Override
  public void requestNext() {
    wanted = true;
    tell();
  }

  @Override
  public void schedule(Duration delay, Runnable action) {
    later.add(action);
  }

  /** Runs the scheduled action, if there is one. */
  boolean timePasses() {
    Runnable due = later.poll();
    if (due != null) {
      due.run();
    }
    return due != null;
  }

  private void tell() {
    if (reader == null) {
      return;
    }
    if (wanted && !left.isEmpty()) {
      wanted = false;
      Part part = left.remove();
      reader.onSection(part);
    } else if (left.isEmpty() && ended) {
      ended = false;
      reader.onComplete();
    }
  }
}
