"""kubectl's subcommands with their options, and its kinds of resource with their other names.

Source: kubectl 1.31 manual.
"""

from collections.abc import Mapping

from decisions.reducers.shell.options import OptionTable, names, options

GLOBAL = options(
    "-n= -v= --namespace= --context= --request-timeout= --cache-dir= --match-server-version --warnings-as-errors "
    "--kubeconfig= --cluster= --user= -s= --server= --as= --as-group= --token= --help -h"
)
ELSEWHERE = ("--kubeconfig", "--cluster", "--user", "-s", "--server", "--as", "--as-group", "--token")
"""Options that lead to another cluster than the context's, or to another's rights."""

_SELECT = "-l= --selector= --field-selector= -A --all-namespaces"
_FILES = "-f= -R -k= --filename= --recursive --kustomize="
_OUTPUT = (
    "-o= --output= --template= --show-managed-fields=? --no-headers --sort-by= --show-labels --show-kind "
    "-L= --label-columns="
)
_DRY = "--dry-run=? --field-manager= --save-config=?"
_WAIT = "--wait=? --timeout= --now --force --grace-period= --ignore-not-found=? --cascade=?"

TABLES: Mapping[str, OptionTable] = {
    name: options(line, globs=False)
    for name, line in {
        "get": f"{_SELECT} {_OUTPUT} -w --watch --watch-only --chunk-size= --ignore-not-found --server-print=? "
        "--subresource= -f= --filename= -R --recursive",
        "describe": f"{_SELECT} --show-events=? --chunk-size= -f= --filename= -R --recursive",
        "logs": "-fp -c= -l= --follow --previous --container= --all-containers --tail= --since= --since-time= "
        "--timestamps "
        "--prefix --selector= --max-log-requests= --limit-bytes= --pod-running-timeout= --ignore-errors",
        "top": f"{_SELECT} --containers --no-headers --sort-by= --sum",
        "events": "-Aw --all-namespaces --watch --for= --types= -o= --output= --no-headers",
        "wait": f"{_SELECT} --for= --timeout= --all -f= --filename=",
        "diff": f"{_FILES} -l= --selector= --server-side --force-conflicts --field-manager= --prune",
        "apply": f"{_FILES} {_DRY} {_OUTPUT} {_WAIT} -l= --selector= --server-side --force-conflicts --prune --all "
        "--prune-allowlist= --overwrite=? --validate=?",
        "create": f"{_FILES} {_DRY} {_OUTPUT} --image= --replicas= --port= --from-literal= --from-file= "
        "--from-env-file=< "
        "--type= --cert=< --key=< --docker-server= --docker-username= --docker-password= --docker-email= --tcp= "
        "--verb= --resource= --resource-name= --role= --clusterrole= --serviceaccount= --group= --user= --schedule= "
        "--from= --class= --rule= --annotation= --edit=? --duration= --hard= --scopes= --value= --description= "
        "--external-name= --node-port= --clusterip= --validate=? --append-hash --min-available= --max-unavailable= "
        "-l= --selector= --restart= --audience=",
        "replace": f"{_FILES} {_DRY} {_WAIT} -o= --output= --validate=?",
        "delete": f"{_FILES} {_WAIT} {_SELECT} --all --dry-run=? -o= --output=",
        "scale": "--replicas= --current-replicas= --resource-version= --timeout= --all -l= --selector= "
        "--dry-run=? -f= "
        "--filename=",
        "autoscale": f"--min= --max= --cpu-percent= --name= {_DRY}",
        "rollout": "-w= --watch=? --timeout= --revision= --to-revision= --dry-run=? -l= --selector= -o= --output=",
        "set": "--all -c= --containers= --dry-run=? -l= --selector= --env= -e= --from= --keys= --prefix= --limits= "
        "--requests= --list --overwrite=? --serviceaccount= --local",
        "patch": "-p= --patch= --type= --dry-run=? -o= --output= --subresource= --patch-file=<",
        "label": f"{_SELECT} --all --overwrite=? --dry-run=? --list --resource-version=",
        "annotate": f"{_SELECT} --all --overwrite=? --dry-run=? --list --resource-version=",
        "taint": "--all -l= --selector= --overwrite=? --dry-run=?",
        "cordon": "-l= --selector= --dry-run=?",
        "uncordon": "-l= --selector= --dry-run=?",
        "drain": "-l= --selector= --dry-run=? --force --ignore-daemonsets --delete-emptydir-data --delete-local-data "
        "--grace-period= --timeout= --disable-eviction --pod-selector= --skip-wait-for-delete-timeout=",
        "expose": f"--port= --target-port= --name= --type= --protocol= --external-ip= -l= --labels= --selector= {_DRY}",
        "cp": "-c= --container= --no-preserve --retries=",
        "port-forward": "--address= --pod-running-timeout=",
        "proxy": "-p= --port= --address=",
        "kustomize": "--enable-helm=? --load-restrictor=",
        "explain": "--recursive --api-version= -o= --output=",
        "api-resources": "-o= --output= --namespaced=? --verbs= --api-group= --no-headers --sort-by= --cached",
        "api-versions": "",
        "version": "-o= --output= --client --short",
        "cluster-info": "",
        "config": "-o= --output= --minify --raw --flatten --no-headers",
        "auth": "-Aq --all-namespaces --list --quiet --subresource= --no-headers -o= --output=",
    }.items()
}
RUNNING: Mapping[str, OptionTable] = {
    "exec": options(
        "-itq -c= -n= --stdin --tty --quiet --container= --namespace= --context= --pod-running-timeout=", globs=False
    ),
    "attach": options("-itq -c= -n= --stdin --tty --quiet --container= --namespace= --context=", globs=False),
    "run": options(
        "-itq -n= -l= --image= --port= --env= --labels= --restart= --rm --stdin --tty --attach --command --dry-run=? "
        "--expose --image-pull-policy= --namespace= --context= --overrides= --privileged --quiet --leave-stdin-open "
        "--annotations= -o= --output=",
        globs=False,
    ),
    "debug": options(
        "-itq -c= -n= --image= --target= --copy-to= --stdin --tty --quiet --container= --namespace= --context= "
        "--profile= --share-processes --same-node --replace --attach --env= --image-pull-policy=",
        globs=False,
    ),
}
"""Those behind whose ``--`` stands the command that runs in the cluster."""

_KINDS = """
    pod pods po; deployment deployments deploy; service services svc; replicaset replicasets rs; job jobs;
    event events ev
    statefulset statefulsets sts; daemonset daemonsets ds; ingress ingresses ing; configmap configmaps cm
    secret secrets; serviceaccount serviceaccounts sa; cronjob cronjobs cj; endpoints endpoint ep
    persistentvolumeclaim persistentvolumeclaims pvc; role roles; rolebinding rolebindings
    networkpolicy networkpolicies netpol; horizontalpodautoscaler horizontalpodautoscalers hpa
    resourcequota resourcequotas quota; limitrange limitranges limits; poddisruptionbudget poddisruptionbudgets pdb
    replicationcontroller replicationcontrollers rc; node nodes no; namespace namespaces ns
    persistentvolume persistentvolumes pv; clusterrole clusterroles; clusterrolebinding clusterrolebindings
    storageclass storageclasses sc; customresourcedefinition customresourcedefinitions crd crds
    priorityclass priorityclasses pc; ingressclass ingressclasses; all
"""
KINDS: Mapping[str, str] = {
    name: line.split()[0] for line in _KINDS.replace(";", "\n").splitlines() if line.strip() for name in line.split()
}
"""Each name of a kind of resource, with the one that stands in references."""

CLUSTERWIDE = names(
    "node persistentvolume clusterrole clusterrolebinding storageclass customresourcedefinition priorityclass "
    "ingressclass"
)
"""Kinds that lie in no namespace."""

MADE = {
    "secret": ("generic", "tls", "docker-registry"),
    "service": ("clusterip", "nodeport", "loadbalancer", "externalname"),
}
"""What is made with one more word: ``create secret generic NAME``."""
