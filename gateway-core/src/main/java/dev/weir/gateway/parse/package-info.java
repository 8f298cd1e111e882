/**
 * REST requests into OpenSearch's action requests and back, by OpenSearch's own REST handlers:
 * parameters, bodies, errors, filter_path, pretty and content types are theirs. Runs on the
 * exchange's home; hands each action to an {@link dev.weir.gateway.parse.ActionExecutor}.
 */
@NullMarked
package dev.weir.gateway.parse;

import org.jspecify.annotations.NullMarked;
