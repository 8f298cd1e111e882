package dev.weir.http;

import dev.weir.model.HttpExchange;
import dev.weir.model.RequestHandler;
import dev.weir.model.SectionedBody;
import java.io.ByteArrayOutputStream;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Reads one body in sections, holds up to a number of them at once, and responds with what it
 * received; to a complete body it responds with its length. Runs on the exchange's event loop.
 */
public final class SectionWorker implements RequestHandler, SectionedBody.Listener {
  /** The received bytes. */
  public final AtomicLong told = new AtomicLong();

  public final CompletableFuture<String> ended = new CompletableFuture<>();
  private final ByteArrayOutputStream body = new ByteArrayOutputStream();
  private final ArrayDeque<SectionedBody.Section> held = new ArrayDeque<>();
  private int most;
  private int lines;
  private int arrays;
  private byte @Nullable [] array;
  private @Nullable HttpExchange exchange;
  private @Nullable SectionedBody sections;

  public SectionWorker(int most) {
    this.most = most;
  }

  @Override
  public void handle(HttpExchange taken) {
    SectionedBody streamed = taken.sectionedBody();
    if (streamed == null) {
      taken.respond(HttpServerFixture.reply(200, "whole: " + taken.body().remaining()));
      return;
    }
    exchange = taken;
    sections = streamed;
    add(streamed.firstSection());
    streamed.firstSection().release();
    taken
        .eventLoop()
        .execute(() -> {
          streamed.start(this);
          streamed.requestNext();
        });
  }

  @SuppressWarnings("ReferenceEquality") // whether it is the same array
  private void add(SectionedBody.Section section) {
    byte[] bytes = new byte[section.bytes().remaining()];
    section.bytes().get(bytes);
    body.writeBytes(bytes);
    if (section.bytes().array() != array) {
      array = section.bytes().array();
      arrays++;
    }
    lines += section.items();
    told.addAndGet(bytes.length);
  }

  @Override
  public void onSection(SectionedBody.Section section) {
    add(section);
    held.add(section);
    exchange().eventLoop().execute(this::next);
  }

  private void next() {
    while (held.size() >= most) {
      held.remove().release();
    }
    Objects.requireNonNull(sections).requestNext();
  }

  /** Reduces the number of held sections; safe on any thread. */
  public void holdLess(int fewer) {
    exchange()
        .eventLoop()
        .execute(() -> {
          most = fewer;
          next();
        });
  }

  HttpExchange exchange() {
    return Objects.requireNonNull(exchange);
  }

  /** Returns the received data; call it after the end. */
  public byte[] body() {
    return body.toByteArray();
  }

  /** Returns how often consecutive sections lay in different arrays. */
  public int arrays() {
    return arrays;
  }

  private void freeAll() {
    held.forEach(SectionedBody.Section::leaveToGarbageCollector);
    held.clear();
  }

  @Override
  public void onComplete() {
    freeAll();
    ended.complete("complete");
    exchange().respond(HttpServerFixture.reply(200, "lines: " + lines));
  }

  @Override
  public void onInvalid(int status, String why) {
    freeAll();
    ended.complete(why);
    exchange().respond(HttpServerFixture.reply(status, why));
  }

  @Override
  public void onDisconnect() {
    freeAll();
    ended.complete("gone");
    exchange().drop();
  }
}
