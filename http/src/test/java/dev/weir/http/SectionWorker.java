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
 * Takes one body in sections, holds up to so many at once, and answers with what it got; a body
 * that is whole is answered with its length. Works on the exchange's home.
 */
final class SectionWorker implements RequestHandler, SectionedBody.Reader {
  /** Bytes that were told. */
  final AtomicLong told = new AtomicLong();

  final CompletableFuture<String> ended = new CompletableFuture<>();
  private final ByteArrayOutputStream body = new ByteArrayOutputStream();
  private final ArrayDeque<SectionedBody.Section> held = new ArrayDeque<>();
  private int most;
  private int lines;
  private int arrays;
  private byte @Nullable [] array;
  private @Nullable HttpExchange exchange;
  private @Nullable SectionedBody sections;

  SectionWorker(int most) {
    this.most = most;
  }

  @Override
  public void handle(HttpExchange taken) {
    SectionedBody streamed = taken.sections();
    if (streamed == null) {
      taken.respond(Rig.reply(200, "whole: " + taken.body().remaining()));
      return;
    }
    exchange = taken;
    sections = streamed;
    add(streamed.first());
    streamed.first().free();
    taken
        .home()
        .execute(() -> {
          streamed.start(this);
          streamed.next();
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
  public void section(SectionedBody.Section section) {
    add(section);
    held.add(section);
    exchange().home().execute(this::next);
  }

  private void next() {
    while (held.size() >= most) {
      held.remove().free();
    }
    Objects.requireNonNull(sections).next();
  }

  /** From now on holds fewer; called on any thread. */
  void holdLess(int fewer) {
    exchange()
        .home()
        .execute(() -> {
          most = fewer;
          next();
        });
  }

  HttpExchange exchange() {
    return Objects.requireNonNull(exchange);
  }

  /** What came; call when it has ended. */
  byte[] body() {
    return body.toByteArray();
  }

  /** How often a section lay in another array than the one before. */
  int arrays() {
    return arrays;
  }

  private void freeAll() {
    held.forEach(SectionedBody.Section::abandon);
    held.clear();
  }

  @Override
  public void complete() {
    freeAll();
    ended.complete("complete");
    exchange().respond(Rig.reply(200, "lines: " + lines));
  }

  @Override
  public void unfit(int status, String why) {
    freeAll();
    ended.complete(why);
    exchange().respond(Rig.reply(status, why));
  }

  @Override
  public void gone() {
    freeAll();
    ended.complete("gone");
    exchange().drop();
  }
}
