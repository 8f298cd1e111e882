package dev.weir.rest;

import dev.weir.model.DeadlineResolver;
import java.util.function.LongSupplier;

/**
 * What the dispatcher uses for each request.
 *
 * @param deadlines resolves the request's deadline
 * @param numbers returns a new number for each request
 * @param bodyParsing parses long bodies
 */
public record RequestServices(
    DeadlineResolver deadlines, LongSupplier numbers, BodyParsingExecutor bodyParsing) {}
