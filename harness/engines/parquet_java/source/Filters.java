package colconf;

import java.math.BigInteger;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.parquet.filter2.predicate.FilterApi;
import org.apache.parquet.filter2.predicate.FilterPredicate;
import org.apache.parquet.filter2.predicate.Operators;
import org.apache.parquet.schema.GroupType;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.Type;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;

/** Predicates (corpora/predicates.py) in the words of FilterApi; what it has no word for is Unsupported. */
public class Filters {
    private final MessageType schema;

    public Filters(MessageType schema) {
        this.schema = schema;
    }

    /** Returns the top-level columns of a result, and of the tests of a predicate. */
    static String[] columns(Map predicate, String[] result) {
        Set out = new LinkedHashSet(java.util.Arrays.asList(result));
        tested(predicate, out);
        return (String[]) out.toArray(new String[0]);
    }

    private static void tested(Map predicate, Set out) {
        if (predicate.containsKey("path")) {
            out.add(((List) predicate.get("path")).get(0));
        } else if (predicate.get("of") instanceof Map) {
            tested((Map) predicate.get("of"), out);
        } else {
            List parts = (List) predicate.get("of");
            for (int i = 0; i < parts.size(); i++) tested((Map) parts.get(i), out);
        }
    }

    /**
     * Returns where a predicate is TRUE or, unless `truth`, where it is FALSE.
     *
     * SQL's comparisons with null are neither. "Nulls are treated the same way the java programming language
     * does" (FilterApi.notEq), so that what is negated asks for a value, too.
     */
    FilterPredicate where(Map predicate, boolean truth) {
        String op = (String) predicate.get("op");
        if (op.equals("is not true")) throw new Unsupported("FilterApi has no operator for " + op);
        if (op.equals("not")) return where((Map) predicate.get("of"), !truth);
        if (op.equals("and") || op.equals("or")) {
            List parts = (List) predicate.get("of");
            FilterPredicate out = where((Map) parts.get(0), truth);
            for (int i = 1; i < parts.size(); i++) {
                FilterPredicate next = where((Map) parts.get(i), truth);
                out = op.equals("and") == truth ? FilterApi.and(out, next) : FilterApi.or(out, next);
            }
            return out;
        }
        Literals literals = new Literals(leaf((List) predicate.get("path")), (Map) predicate.get("type"));
        Operators.Column column = column(literals.leaf, (List) predicate.get("path"));
        if (op.equals("is null")) return truth ? equal(column, null) : unequal(column, null);
        boolean isNull = predicate.containsKey("value") && predicate.get("value") == null;
        if (literals.isOfAnyLength() && !isNull && op.indexOf('<') < 0 && op.indexOf('>') < 0) {
            // A constant is bytes, which may be fewer than a file has of the same number ("should", LogicalTypes.md).
            throw new Unsupported("FilterApi has no way to ask whether decimals in BYTE_ARRAY are equal");
        }
        if (op.equals("is not distinct from")) {
            Object value = predicate.get("value");
            Comparable constant = value == null ? null : literals.of(value);
            return truth ? equal(column, constant) : unequal(column, constant);
        }
        if (!truth && op.equals("in") && ((List) predicate.get("values")).contains(null)) {
            throw new Unsupported("IN of FilterApi is TRUE or FALSE, and never UNKNOWN");
        }
        FilterPredicate test = test(op, column, literals, predicate);
        return truth ? test : FilterApi.and(FilterApi.not(test), unequal(column, null));
    }

    private static FilterPredicate test(String op, Operators.Column column, Literals literals, Map predicate) {
        if (op.equals("in")) {
            List values = (List) predicate.get("values");
            Set constants = new HashSet();
            for (int i = 0; i < values.size(); i++) {
                constants.add(values.get(i) == null ? null : literals.of(values.get(i)));
            }
            // In Java a null is equal to a null of the list.
            FilterPredicate in = In.in(column, constants);
            return values.contains(null) ? FilterApi.and(in, unequal(column, null)) : in;
        }
        if (!predicate.containsKey("value") || op.equals("computed")) {
            throw new Unsupported("FilterApi has no operator for " + op);
        }
        Comparable value = literals.of(predicate.get("value"));
        if (op.equals("=")) return equal(column, value);
        if (op.equals("!=")) return FilterApi.and(unequal(column, value), unequal(column, null));
        if (!(column instanceof Operators.SupportsLtGt)) {
            throw new Unsupported("FilterApi has no order of " + literals.leaf.physical);
        }
        if (op.equals("<")) return FilterApi.lt((Operators.Column) column, value);
        if (op.equals("<=")) return FilterApi.ltEq((Operators.Column) column, value);
        if (op.equals(">")) return FilterApi.gt((Operators.Column) column, value);
        return FilterApi.gtEq((Operators.Column) column, value);
    }

    private static FilterPredicate equal(Operators.Column column, Comparable value) {
        return FilterApi.eq((Operators.Column) column, value);
    }

    private static FilterPredicate unequal(Operators.Column column, Comparable value) {
        return FilterApi.notEq((Operators.Column) column, value);
    }

    private Leaf leaf(List path) {
        Type at = schema;
        for (int i = 0; i < path.size(); i++) {
            if (at.isPrimitive()) throw new Unsupported("a path goes into a primitive field");
            at = ((GroupType) at).getType((String) path.get(i));
            if (at.isRepetition(Type.Repetition.REPEATED)) throw new Unsupported("FilterApi tests no repeated fields");
        }
        if (!at.isPrimitive()) throw new Unsupported("FilterApi tests no groups");
        return new Leaf(at.asPrimitiveType());
    }

    private static Operators.Column column(Leaf leaf, List path) {
        StringBuilder name = new StringBuilder();
        for (int i = 0; i < path.size(); i++) {
            String part = (String) path.get(i);
            if (part.isEmpty() || part.indexOf('.') >= 0) {
                throw new Unsupported("FilterApi takes a path in text, whose names are not empty and have no dots");
            }
            name.append(i == 0 ? "" : ".").append(part);
        }
        PrimitiveTypeName physical = leaf.physical;
        if (physical == PrimitiveTypeName.BOOLEAN) return FilterApi.booleanColumn(name.toString());
        if (physical == PrimitiveTypeName.INT32) return FilterApi.intColumn(name.toString());
        if (physical == PrimitiveTypeName.INT64) return FilterApi.longColumn(name.toString());
        if (physical == PrimitiveTypeName.FLOAT) return FilterApi.floatColumn(name.toString());
        if (physical == PrimitiveTypeName.DOUBLE) return FilterApi.doubleColumn(name.toString());
        return FilterApi.binaryColumn(name.toString());
    }
}
