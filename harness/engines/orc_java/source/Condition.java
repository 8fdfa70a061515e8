package colconf;

import java.util.List;
import java.util.Map;
import org.apache.hadoop.hive.ql.exec.vector.ColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.StructColumnVector;
import org.apache.hadoop.hive.ql.io.sarg.PredicateLeaf;
import org.apache.hadoop.hive.ql.io.sarg.SearchArgument;

/**
 * A predicate (corpora/predicates.py) as a search argument, and as a test of the rows that this leaves.
 *
 * "ORC's predicate push down … only eliminates row groups": who asks filters the rows (ORC, Indexes).
 */
class Condition {
    private final String op;
    private final Condition[] parts;
    private int[] path;
    private String name = "";
    private Column column;
    private Constant[] constants = new Constant[0];
    private boolean isNull;

    Condition(Map predicate, Column root) {
        op = (String) predicate.get("op");
        if (op.equals("is not true")) throw new Unsupported("search arguments have no operator for " + op);
        Object of = predicate.get("of");
        List below = of instanceof Map ? java.util.Collections.singletonList(of) : (List) of;
        parts = new Condition[below == null ? 0 : below.size()];
        for (int i = 0; i < parts.length; i++) parts[i] = new Condition((Map) below.get(i), root);
        if (below == null) test(predicate, root);
    }

    private void test(Map predicate, Column root) {
        if (op.equals("computed") || op.equals("starts with")) {
            throw new Unsupported("search arguments have no operator for " + op);
        }
        List names = (List) predicate.get("path");
        path = new int[names.size()];
        column = root;
        StringBuilder dotted = new StringBuilder();
        for (int i = 0; i < path.length; i++) {
            String part = (String) names.get(i);
            path[i] = column.place(part);
            column = column.children[path[i]];
            boolean plain = part.matches("[A-Za-z0-9_]+");
            dotted.append(i == 0 ? "" : ".").append(plain ? part : "`" + part.replace("`", "``") + "`");
        }
        name = dotted.toString();
        if (op.equals("is null")) return;
        List values = op.equals("in") ? (List) predicate.get("values")
            : java.util.Collections.singletonList(predicate.get("value"));
        isNull = values.contains(null);
        List present = new java.util.ArrayList(values);
        present.removeAll(java.util.Collections.singleton(null));
        constants = new Constant[present.size()];
        for (int i = 0; i < constants.length; i++) {
            constants[i] = new Constant(column, (Map) predicate.get("type"), present.get(i));
        }
    }

    /** Marks the columns of the root that this tests. */
    void mark(boolean[] columns) {
        for (int i = 0; i < parts.length; i++) parts[i].mark(columns);
        if (parts.length == 0) columns[path[0]] = true;
    }

    /** Adds this to a search argument. */
    void add(SearchArgument.Builder builder) {
        if (parts.length > 0) {
            if (op.equals("not")) builder.startNot();
            else if (op.equals("and")) builder.startAnd();
            else builder.startOr();
            for (int i = 0; i < parts.length; i++) parts[i].add(builder);
            builder.end();
            return;
        }
        PredicateLeaf.Type type = Constant.type(column);
        boolean negated = op.equals("!=") || op.equals(">") || op.equals(">=");
        if (negated) builder.startNot();
        if (op.equals("in")) {
            Object[] literals = new Object[constants.length];
            for (int i = 0; i < literals.length; i++) literals[i] = constants[i].literal();
            if (isNull) builder.startOr();
            builder.in(name, type, literals);
            if (isNull) builder.literal(SearchArgument.TruthValue.NULL).end();
        } else if (op.equals("is null") || isNull) {
            builder.isNull(name, type);
        } else {
            Object literal = constants[0].literal();
            if (op.equals("=") || op.equals("!=")) builder.equals(name, type, literal);
            else if (op.equals("<") || op.equals(">=")) builder.lessThan(name, type, literal);
            else if (op.equals("<=") || op.equals(">")) builder.lessThanEquals(name, type, literal);
            else builder.nullSafeEquals(name, type, literal);
        }
        if (negated) builder.end();
    }

    /** Returns the truth for a row of the columns; null for UNKNOWN. */
    Boolean truth(ColumnVector[] columns, int row) {
        if (op.equals("not")) {
            Boolean truth = parts[0].truth(columns, row);
            return truth == null ? null : Boolean.valueOf(!truth.booleanValue());
        }
        if (parts.length > 0) return joined(columns, row);
        ColumnVector vector = columns[path[0]];
        boolean missing = Column.isNull(vector, row);
        for (int i = 1; i < path.length && !missing; i++) {
            int at = vector.isRepeating ? 0 : row;
            vector = ((StructColumnVector) vector).fields[path[i]];
            row = at;
            missing = Column.isNull(vector, row);
        }
        if (op.equals("is null")) return Boolean.valueOf(missing);
        if (op.equals("is not distinct from")) {
            return Boolean.valueOf(missing || isNull ? missing == isNull : compare(vector, row, 0) == 0);
        }
        if (missing) return null;
        if (op.equals("in")) {
            boolean any = false;
            for (int i = 0; i < constants.length; i++) any |= compare(vector, row, i) == 0;
            return any || !isNull ? Boolean.valueOf(any) : null;
        }
        int order = compare(vector, row, 0);
        return Boolean.valueOf(op.equals("=") ? order == 0 : op.equals("!=") ? order != 0
            : op.equals("<") ? order < 0 : op.equals("<=") ? order <= 0 : op.equals(">") ? order > 0 : order >= 0);
    }

    private int compare(ColumnVector vector, int row, int at) {
        return column.key(vector, row).compareTo(constants[at].key);
    }

    private Boolean joined(ColumnVector[] columns, int row) {
        boolean decides = op.equals("or");
        boolean unknown = false;
        for (int i = 0; i < parts.length; i++) {
            Boolean truth = parts[i].truth(columns, row);
            if (truth == null) unknown = true;
            else if (truth.booleanValue() == decides) return Boolean.valueOf(decides);
        }
        return unknown ? null : Boolean.valueOf(!decides);
    }
}
