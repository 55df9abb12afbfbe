"""The AWS command line: its services, and what the words that its operations start with do.

Source: AWS CLI 2 command reference.
"""

from collections.abc import Mapping

from decisions.reducers.shell.options import names, options

GLOBAL_VALUED = names(
    "--profile --region --output --query --color --cli-read-timeout --cli-connect-timeout --ca-bundle"
)
GLOBAL_FLAGS = names(
    "--debug --no-paginate --no-cli-pager --no-verify-ssl --no-sign-request --cli-auto-prompt --no-cli-auto-prompt"
)
ELSEWHERE = names("--endpoint-url --cli-input-json --cli-input-yaml --ca-bundle")
"""Options that lead to another server, or take the request from elsewhere."""

SERVICES = names("""
    acm apigateway apigatewayv2 application-autoscaling appsync athena autoscaling backup batch ce cloudformation
    cloudfront cloudtrail cloudwatch codebuild codecommit codepipeline cognito-identity cognito-idp config dms docdb
    dynamodb ec2 ecr ecs efs eks elasticache elasticbeanstalk elb elbv2 events firehose fsx glue guardduty iam
    inspector2
    kafka kinesis kms lambda logs mq neptune opensearch organizations pricing rds redshift resource-groups
    resourcegroupstaggingapi route53 s3api sagemaker scheduler secretsmanager securityhub servicediscovery ses sesv2 sns
    sqs ssm sso-admin stepfunctions sts support transfer wafv2 workspaces xray
    """)
"""Services whose operations are requests and nothing else, but for `CUSTOM`."""

CUSTOM = frozenset({
    ("cloudformation", "package"), ("cloudformation", "deploy"), ("cloudtrail", "validate-logs"),
    ("cloudtrail", "create-subscription"), ("cloudtrail", "update-subscription"), ("codecommit", "credential-helper"),
    ("dynamodb", "wizard"), ("ecr", "get-login"), ("ecs", "deploy"), ("eks", "update-kubeconfig"), ("eks", "get-token"),
    ("logs", "tail"), ("logs", "start-live-tail"), ("s3api", "get-object"), ("s3api", "get-object-torrent"),
    ("s3api", "select-object-content"), ("lambda", "invoke"), ("apigateway", "get-export"), ("apigateway", "get-sdk"),
    ("apigatewayv2", "export-api"), ("sts", "assume-role"), ("sts", "assume-role-with-saml"),
    ("sts", "assume-role-with-web-identity"), ("sts", "get-session-token"), ("sts", "get-federation-token"),
    ("ssm", "start-session"), ("ec2", "get-password-data"), ("lambda", "wizard"), ("events", "wizard"),
    ("iam", "wizard"),
    ("apigateway", "get-usage"), ("cloudfront", "sign"), ("eks", "wait"), ("rds", "generate-db-auth-token"),
})  # fmt: skip
"""Operations that do more than a request: write a file, hand out credentials. Opaque, unless they are read apart."""

PREFIXES: Mapping[str, str] = {
    **dict.fromkeys(names("describe get head batch-get search lookup scan query filter wait estimate test "
        "validate check "
                          "detect view preview simulate evaluate explain generate"), "read"),
    **dict.fromkeys(names("list"), "list"),
    **dict.fromkeys(names("create run allocate request register import copy clone restore issue provision"), "create"),
    **dict.fromkeys(names("put update modify attach associate set enable disable add tag untag reboot start stop apply "
                          "upload authorize revoke replace reset rotate cancel detach disassociate remove "
                          "change complete "
                          "abort activate deactivate promote failover resume suspend swap increase decrease assign "
                          "unassign accept reject publish send subscribe unsubscribe confirm resend monitor unmonitor "
                          "move rename retry rollback continue signal respond record report export merge enter "
                          "exit"), "change"),
    **dict.fromkeys(names("delete batch-delete terminate deregister release purge schedule-key-deletion"), "delete"),
    **dict.fromkeys(names("invoke execute batch-execute"), "run"),
}  # fmt: skip
"""The verb of an operation, by the longest of these that its name starts with."""

OPERATIONS: Mapping[tuple[str, str], str] = {
    ("ssm", "send-command"): "run",
    ("ecs", "run-task"): "run",
    ("ecs", "execute-command"): "run",
    ("ecs", "start-task"): "run",
    ("batch", "submit-job"): "run",
    ("codebuild", "start-build"): "run",
    ("codepipeline", "start-pipeline-execution"): "run",
    ("stepfunctions", "start-execution"): "run",
    ("stepfunctions", "start-sync-execution"): "run",
    ("glue", "start-job-run"): "run",
    ("athena", "start-query-execution"): "run",
    ("ssm", "start-automation-execution"): "run",
    ("dynamodb", "batch-write-item"): "delete",
    ("dynamodb", "transact-write-items"): "delete",
    ("dynamodb", "execute-statement"): "run",
    ("kms", "schedule-key-deletion"): "delete",
    ("kms", "encrypt"): "read",
    ("kms", "decrypt"): "read",
    ("kms", "sign"): "run",
    ("sqs", "receive-message"): "read",
    ("sqs", "purge-queue"): "delete",
    ("ec2", "start-instances"): "change",
    ("iam", "remove-user-from-group"): "change",
    ("ec2", "cancel-spot-instance-requests"): "delete",
    ("autoscaling", "execute-policy"): "change",
    ("cloudformation", "execute-change-set"): "change",
    ("cloudformation", "cancel-update-stack"): "change",
    ("route53", "change-resource-record-sets"): "change",
    ("s3api", "delete-objects"): "delete",
    ("iam", "generate-credential-report"): "change",
    ("iam", "generate-service-last-accessed-details"): "change",
    ("ec2", "import-key-pair"): "create",
    ("ec2", "create-tags"): "change",
    ("ec2", "delete-tags"): "change",
}
"""Operations whose name says less than what they do, or something else."""

S3 = options(
    "--recursive --exclude= --include= --acl= --sse=? --sse-kms-key-id= --storage-class= --dryrun --quiet --delete "
    "--only-show-errors --no-progress --follow-symlinks --no-follow-symlinks --size-only --exact-timestamps "
    "--content-type= --content-encoding= --content-disposition= --cache-control= --expires= --metadata-directive= "
    "--human-readable --summarize --force --no-guess-mime-type --page-size= --request-payer=? --source-region= "
    "--expires-in= --expected-size= --ignore-glacier-warnings --force-glacier-transfer --checksum-algorithm= "
    "--profile= --region= --output= --no-cli-pager --no-paginate --debug --no-sign-request --no-verify-ssl --color= "
    "--website-redirect= --copy-props= --checksum-mode="
)
